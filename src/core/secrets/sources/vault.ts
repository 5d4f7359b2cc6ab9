import type { SourceContext, SourceKind } from "../source-kind.js";
import { openVaultClient, type VaultClient } from "./vault/client.js";
import { readSecretField, readVersion } from "./vault/kv.js";
import { fields, readServer, type VaultFields } from "./vault/settings.js";

/** Secrets in HashiCorp Vault and OpenBao, in KV secrets engines of version 1 and 2. */
export const vault: SourceKind<VaultFields> = {
  name: "vault",
  title: "HashiCorp Vault or OpenBao",
  fields,
  shorthand: {
    example: "!vault kv/llm#api_key",
    meaning: "the path of a secret, then # and the name of a field",
    hint: "write !vault kv/llm#api_key, or !vault { path: kv/llm, field: api_key }",
    read(written) {
      const [path = "", field = "", ...rest] = typeof written === "string" ? written.split("#") : [];
      return path !== "" && field !== "" && rest.length === 0 ? { path, field } : undefined;
    },
  },
  describe: ({ path, field }) => `Vault secret ${path}, field ${field}`,
  rights: {
    value: "`read` on `kv/data/llm` (KV version 1: on `kv/llm`)",
    version: "`read` on `kv/metadata/llm` (KV version 1 has no versions)",
  },
  read: async (fields, context) => readSecretField(await openVault(fields, context), fields),
  version: async (fields, context) => readVersion(await openVault(fields, context), fields, context.now()),
};

function openVault(fields: VaultFields, context: SourceContext): Promise<VaultClient> {
  const server = readServer(fields);
  const open = () => openVaultClient(server, context);
  return context.connection(
    JSON.stringify(server),
    open,
    ({ close }) => close(),
    ({ forget }) => forget(),
  );
}
