import type { SecretClient, SecretProperties } from "@azure/keyvault-secrets";
import { isLoopback } from "../../../base/http/index.js";
import { withPackage } from "../../../base/optional-packages/index.js";
import { createNotKeyVaultError, isDenied, openTransport, toAzureError } from "../azure/errors.js";
import { isServer, readProxy } from "../json-api.js";
import { SourceProblem } from "../source-error.js";
import type { FieldsIn, SourceContext, SourceFields, SourceKind } from "../source-kind.js";

const feature = "A secret in Azure Key Vault";

const fields = {
  vault: {
    type: "string",
    pattern: /^[A-Za-z][A-Za-z0-9-]{1,22}[A-Za-z0-9]$/,
    description: "Vault name, in the public cloud.",
  },
  url: {
    type: "url",
    description: "Vault URL instead of the name, such as https://my-vault.vault.azure.cn.",
  },
  secret: {
    type: "string",
    required: true,
    pattern: /^[A-Za-z0-9-]{1,127}$/,
    description: "Secret name.",
  },
  version: {
    type: "string",
    pattern: /^[A-Za-z0-9]{1,64}$/,
    description: "Secret version. Default: the current version.",
  },
} as const satisfies SourceFields;

/** Fields of `!azure-key-vault`. Either `vault` or `url` identifies the vault. */
export type AzureKeyVaultFields = FieldsIn<typeof fields>;

/** A secret in Azure Key Vault, read with Microsoft's client. */
export const azureKeyVault: SourceKind<AzureKeyVaultFields> = {
  name: "azure-key-vault",
  title: "Azure Key Vault",
  fields,
  shorthand: {
    example: "!azure-key-vault my-vault/llm-api-key",
    meaning: "a vault and a secret, or the identifier of a secret",
    read: (written) => (typeof written === "string" ? parseShorthand(written) : undefined),
  },
  check: ({ vault, url }) => {
    if ((vault === undefined) === (url === undefined)) return "needs either vault or url";
    return url === undefined || isServer(url)
      ? undefined
      : "has an invalid vault URL. Write it like https://my-vault.vault.azure.net";
  },
  describe: ({ vault, url, secret, version }) =>
    `secret ${secret}${version === undefined ? "" : `, version ${version},`} in the Azure Key Vault ${vault ?? readHost(url)}`,
  packages: ["@azure/keyvault-secrets", "@azure/identity"],
  rights: {
    value:
      "Microsoft.KeyVault/vaults/secrets/getSecret/action (role Key Vault Secrets User), or the access policy permission Get",
    version:
      "Microsoft.KeyVault/vaults/secrets/readMetadata/action (role Key Vault Reader), or the access policy permission List",
  },
  async read(fields, context) {
    const { secret, version } = fields;
    const client = await openClient(fields, context);
    const options = { abortSignal: context.signal, ...(version && { version }) };
    const { value, properties } = await client.getSecret(secret, options).catch((error: unknown) => {
      throw toAzureError(error, context);
    });
    if (typeof value !== "string" || properties.version === undefined) throw createNotKeyVaultError();
    return { value, version: properties.version };
  },
  async version(fields, context) {
    // The value of a version never changes.
    if (fields.version !== undefined) return fields.version;
    const client = await openClient(fields, context);
    const newest = await listNewestVersions(client, fields.secret, context);
    // Without permission to list versions, the version is read together with the value.
    if (newest === undefined) return undefined;
    const [first, second] = newest;
    if (first === undefined)
      throw new SourceProblem("not-found", "does not exist. Correct its name, or create it.");
    // If two versions were created in the same second, only reading the value shows which of them is current.
    if (second !== undefined) return undefined;
    if (first.enabled === false)
      throw new SourceProblem(
        "refused",
        "cannot be read: its newest version is disabled. Enable that version, or create a new one.",
      );
    return first.version;
  },
};

/**
 * Lists the newest version, or all versions that were created in the same second as the newest. Returns undefined if
 * permission is missing.
 */
async function listNewestVersions(
  client: SecretClient,
  secret: string,
  context: SourceContext,
): Promise<readonly SecretProperties[] | undefined> {
  let newest: SecretProperties[] = [];
  const options = { abortSignal: context.signal };
  try {
    for await (const one of client.listPropertiesOfSecretVersions(secret, options)) {
      if (!(one.createdOn instanceof Date) || one.version === undefined) throw createNotKeyVaultError();
      const age = Math.sign(one.createdOn.getTime() - (newest[0]?.createdOn?.getTime() ?? 0));
      if (age > 0) newest = [one];
      else if (age === 0) newest.push(one);
    }
  } catch (error) {
    if (isDenied(error)) return undefined;
    throw toAzureError(error, context);
  }
  return newest;
}

/** Opens one client for each vault, with one login for all vaults in a run. */
function openClient(fields: AzureKeyVaultFields, context: SourceContext): Promise<SecretClient> {
  const { vault, url: given = "" } = fields;
  const url = vault === undefined ? new URL(given).origin : `https://${vault.toLowerCase()}.vault.azure.net`;
  return context
    .connection(
      `vault ${url}`,
      async () => {
        const proxy = readProxy(context);
        const [{ SecretClient }, { credential }] = await Promise.all([
          withPackage("@azure/keyvault-secrets", feature, () => import("@azure/keyvault-secrets"), context),
          logIn(context),
        ]);
        const transport = openTransport(proxy, new URL(url).origin);
        const client = new SecretClient(url, credential, {
          ...disableRetries(transport),
          ...(isLoopback(new URL(url).hostname)
            ? // An emulator on this machine has no certificate, and is not in the domain that tokens are issued for.
              { disableChallengeResourceVerification: true, allowInsecureConnection: true }
            : {}),
        });
        return { client, transport };
      },
      ({ transport }) => transport.close(),
    )
    .then(({ client }) => client);
}

function logIn(context: SourceContext) {
  return context.connection(
    "login",
    async () => {
      const { DefaultAzureCredential } = await withPackage(
        "@azure/identity",
        feature,
        () => import("@azure/identity"),
        context,
      );
      const transport = openTransport(readProxy(context));
      return { credential: new DefaultAzureCredential(disableRetries(transport)), transport };
    },
    ({ transport }) => transport.close(),
  );
}

/** Disables redirects, which would forward the token, and the SDK's retries, because the runner retries. */
function disableRetries(httpClient: ReturnType<typeof openTransport>) {
  return { httpClient, retryOptions: { maxRetries: 0 }, redirectOptions: { maxRetries: 0 } };
}

function readHost(url = ""): string {
  return URL.canParse(url) ? new URL(url).host : "with an invalid URL";
}

/** Parses `my-vault/llm`, `my-vault/llm/VERSION` or the identifier that the portal shows. */
function parseShorthand(written: string): Partial<AzureKeyVaultFields> | undefined {
  const [, host, path = written] = /^https:\/\/([^/]+)\/secrets\/(.+)$/.exec(written) ?? [];
  const parts = path.replace(/\/$/, "").split("/");
  const [vault, secret, version] = host === undefined ? parts : [undefined, ...parts];
  const inPublicCloud = /^([A-Za-z0-9-]+)\.vault\.azure\.net$/.exec(host ?? "")?.[1];
  if (!secret || parts.length > (host === undefined ? 3 : 2)) return undefined;
  if (host !== undefined && inPublicCloud === undefined) return { url: `https://${host}`, secret, version };
  return { vault: inPublicCloud ?? vault ?? "", secret, version };
}
