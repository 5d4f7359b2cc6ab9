import { TerraformProvider, TerraformStack } from "cdktn";
import type { Construct } from "constructs";
import { camelCase, isLiteral, type Manifest, type Setting } from "../../core/manifest/index.js";
import { isEnv } from "../../core/secrets/index.js";
import { AvataropsProvider, type AvataropsProviderProps } from "./provider.js";
import { addVariable } from "./source-variable.js";

/** The stack's own provider; without one, a provider with the manifest's settings. */
export function findProvider(scope: Construct, manifest: Manifest): TerraformProvider {
  const present = TerraformStack.of(scope).node.findAll().find(isDefaultProvider);
  return present ?? newProvider(scope, manifest);
}

function isDefaultProvider(node: unknown): node is TerraformProvider {
  return (
    TerraformProvider.isTerraformProvider(node) &&
    node.terraformResourceType === AvataropsProvider.tfResourceType &&
    node.alias === undefined
  );
}

function newProvider(scope: Construct, { service, fingerprintKey, drift }: Manifest): AvataropsProvider {
  const { baseUrl, apiKey, successCodes, sandboxAvatar, concurrency, requestsPerSecond, timeoutMs } = service;
  const added = Object.entries(service.allowedValues).filter(([, values]) => values.length > 0);
  const from = (setting: Setting | undefined, name: string) => setting && toArgument(scope, setting, name);
  const settings = {
    baseUrl: from(baseUrl, "base_url"),
    apiKey: from(apiKey, "api_key"),
    fingerprintKey: from(fingerprintKey, "fingerprint_key"),
    successCodes: successCodes && [...successCodes],
    ...Object.fromEntries(added.map(([name, values]) => [camelCase(name), values])),
    sandboxAvatar,
    concurrency,
    requestsPerSecond,
    timeoutSeconds: timeoutMs && timeoutMs / 1000,
    // The manifest's default is "refuse": without the setting, the provider's own default applies.
    drift: drift === "overwrite" ? drift : undefined,
  };
  return new AvataropsProvider(scope, "provider", settings as AvataropsProviderProps);
}

/** The provider itself resolves what it finds in its own environment. */
function toArgument(scope: Construct, setting: Setting, name: string): string | undefined {
  if (isLiteral(setting)) return setting.literal;
  const isOwn = isEnv(setting) && setting.name === `AVATAROPS_${name.toUpperCase()}`;
  return isOwn ? undefined : addVariable(scope, setting, name);
}
