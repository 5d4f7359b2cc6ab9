import type { SourceContext, SourceKind } from "../source-kind.js";
import { openVaultClient, type VaultClient } from "./vault/client.js";
import { readField, readVersion } from "./vault/kv.js";
import { fields, readServer, type VaultFields } from "./vault/settings.js";

/** Secrets of HashiCorp Vault and OpenBao, in KV secrets engines of version 1 and 2. */
export const vault: SourceKind<VaultFields> = {
  name: "vault",
  title: "HashiCorp Vault or OpenBao",
  fields,
  shorthand: {
    example: "!vault kv/llm#api_key",
    meaning: "the path of a secret, and after # the name of its field",
    hint: "write !vault kv/llm#api_key, or !vault { path: kv/llm, field: api_key }",
    read(written) {
      const [path = "", field = "", ...rest] = typeof written === "string" ? written.split("#") : [];
      return path !== "" && field !== "" && rest.length === 0 ? { path, field } : undefined;
    },
  },
  check({ kvVersion, version, jwtFile, jwtVariable, tokenVariable, secretIdVariable }) {
    if (kvVersion !== undefined && kvVersion !== 1 && kvVersion !== 2)
      return "has a kv_version other than 1 and 2";
    if (version !== undefined && !(Number.isSafeInteger(version) && version > 0))
      return "has a version that is not a whole number from 1";
    if (version !== undefined && kvVersion === 1)
      return "has a version, but secrets in KV version 1 have none";
    if (jwtFile !== undefined && jwtVariable !== undefined)
      return "has both jwt_file and jwt_variable: name one of them";
    const ours = [jwtVariable, tokenVariable, secretIdVariable].find((name) =>
      /^AVATAROPS_/i.test(name ?? ""),
    );
    if (ours !== undefined) return `logs in with ${ours}, which is a key of avatarops: name another variable`;
    return undefined;
  },
  describe({ mount, path, field, version }) {
    const where = mount === undefined ? path : `${mount}/${path}`;
    return `Vault secret ${where}, field ${field}${version === undefined ? "" : `, version ${version}`}`;
  },
  rights: {
    value: "`read` on `kv/data/llm` (KV version 1: on `kv/llm`)",
    version: "`read` on `kv/metadata/llm` (KV version 1 has no versions)",
  },
  read: async (fields, context) => readField(await openVault(fields, context), fields),
  version: async (fields, context) => readVersion(await openVault(fields, context), fields),
};

function openVault(fields: VaultFields, context: SourceContext): Promise<VaultClient> {
  const server = readServer(fields, context);
  const open = () => openVaultClient(server, context);
  return context.connection(JSON.stringify(server), open, ({ close }) => close());
}
