import { openHttpClient, openSdkWire, toSdkOptions } from "../../../base/http/index.js";
import { withPackage } from "../../../base/optional-packages/index.js";
import { readProxy } from "../json-api.js";
import { SourceProblem } from "../source-error.js";
import type { SourceContext } from "../source-kind.js";

export const title = "AWS Secrets Manager";
export const sdkPackage = "@aws-sdk/client-secrets-manager";

/** Opens the SDK client for a region. All sources in a run share it. */
export function openSecretsManager(named: string | undefined, context: SourceContext) {
  const open = async () => {
    const sdk = await withPackage(
      sdkPackage,
      title,
      () => import("@aws-sdk/client-secrets-manager"),
      context,
    );
    const http = openHttpClient({ proxy: readProxy(context), maxResponseBytes });
    const client = new sdk.SecretsManagerClient({
      ...readSettings(context.environment, named),
      ...toSdkOptions({ ...openSdkWire(http, (address) => context.checkAddress(address, "environment")) }),
      // The runner already retries sources.
      maxAttempts: 1,
    });
    const region = await client.config.region().catch(() => {
      throw new SourceProblem(
        "not-set",
        "has no region. Add `region: eu-central-1` to the source, or set AWS_REGION.",
      );
    });
    return { sdk, client, region };
  };
  return context.connection(named ?? "", open, ({ client }) => client.destroy());
}

/** Passes the settings explicitly, because the SDK reads only the process's variables and `--dotenv` may set others. */
function readSettings(variables: SourceContext["environment"], region?: string) {
  const { AWS_PROFILE: profile, AWS_REGION, AWS_DEFAULT_REGION } = variables;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = variables;
  const { AWS_SESSION_TOKEN: sessionToken } = variables;
  const named = region ?? (AWS_REGION || AWS_DEFAULT_REGION);
  const keys = !profile && accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
  return {
    ...(named ? { region: named } : {}),
    ...(profile ? { profile } : {}),
    ...(keys ? { credentials: { ...keys, ...(sessionToken ? { sessionToken } : {}) } } : {}),
  };
}

/** Maximum response size. A secret has at most 64 KB, which JSON may make six times longer. */
const maxResponseBytes = 1_000_000;
