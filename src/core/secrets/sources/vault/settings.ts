import path from "node:path";
import { failed, notSet } from "../../source-error.js";
import type { FieldsIn, SourceContext, SourceFields } from "../../source-kind.js";

/** Which server is asked, and as whom. Contains no credentials, only where they are. */
export type VaultServer = ReturnType<typeof readServer>;

export type VaultLogin = VaultServer["login"];

/**
 * The settings of a source. The runner has put what the environment has for fields into them, but for the variables of
 * OpenBao.
 *
 * @throws SourceProblem if there is no address, or one to which no credentials are sent.
 */
export function readServer(fields: VaultFields, { root, environment, checkAddress }: SourceContext) {
  const caFile = fields.caCertFile || environment.BAO_CACERT || undefined;
  const namespace = fields.namespace ?? environment.BAO_NAMESPACE;
  const address = readAddress(fields.address || environment.BAO_ADDR);
  if (!fields.address) checkAddress(address, "environment");
  const { audience = environment.VAULT_AUTH_AUDIENCE?.trim() || address } = fields;
  // A JWT for somebody else would let the server log in there.
  if (fields.audience !== undefined && fields.audience !== address) checkAddress(fields.audience, "source");
  const { auth, authMount, role, roleId, secretIdVariable, tokenVariable, jwtVariable, jwtFile } = fields;
  return {
    /** Without a final slash. */
    address,
    namespace: namespace?.replaceAll(/^\/|\/$/g, "") || undefined,
    /** Absolute path of the certificates to trust in place of the system's, in PEM. */
    caFile: caFile && path.resolve(root, caFile),
    login: {
      ...{ auth, authMount, role, roleId, secretIdVariable, tokenVariable, jwtVariable, audience },
      jwtFile: jwtFile && path.resolve(root, jwtFile),
    },
  };
}

function readAddress(given: string | undefined): string {
  if (!given)
    throw notSet("cannot be read: no address of a server is given. Set VAULT_ADDR, or the field `address`.");
  const address = parseServerAddress(given);
  if (address !== undefined) return address;
  // The address is not repeated: what is wrong with it may be a password in it.
  throw failed(
    "cannot be read: the address of the server is not one like https://vault.example.com:8200. Correct VAULT_ADDR, or the field `address`.",
  );
}

/** Without a final slash; undefined if it is none, or has credentials or a query. */
function parseServerAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && `${url.username}${url.password}${url.search}${url.hash}` === "";
  return isPlain && /^https?:$/.test(url.protocol) ? url.href.replace(/\/$/, "") : undefined;
}

/** Fields of `!vault`: a field of a secret in a KV secrets engine, and how to get at it. */
export type VaultFields = FieldsIn<typeof fields>;

export const fields = {
  path: {
    type: "string",
    required: true,
    description: "Path of the secret, with that of its secrets engine unless `mount` names it: `kv/llm`.",
  },
  field: { type: "string", required: true, description: "Name of the field in the secret." },
  mount: {
    type: "string",
    description: "Path of the KV secrets engine. Default: found out by asking the server.",
  },
  version: {
    type: "number",
    // The version that the vault returns decides: so a plan job need not read the value when this changes.
    login: true,
    description: "The version to use (KV version 2). Default: the current one.",
  },
  kvVersion: {
    type: "number",
    login: true,
    description: "Version of the KV secrets engine, 1 or 2. Default: found out by asking the server.",
  },
  address: {
    type: "url",
    variable: "VAULT_ADDR",
    description: "Address of the server: `https://vault.example.com:8200`. `BAO_ADDR` gives it, too.",
  },
  namespace: {
    type: "string",
    variable: "VAULT_NAMESPACE",
    description: "Namespace of the secret and of the login. `BAO_NAMESPACE` gives it, too.",
  },
  caCertFile: {
    type: "file",
    variable: "VAULT_CACERT",
    login: true,
    isPublic: true,
    description: "File of certificates in PEM to trust in place of the system's. `BAO_CACERT` gives it, too.",
  },
  auth: {
    type: "string",
    variable: "VAULT_AUTH_METHOD",
    values: ["token", "approle", "jwt", "kubernetes"],
    login: true,
    description:
      "How to log in. Default: `token`, which is the one in `VAULT_TOKEN`, `BAO_TOKEN` or, after `vault login`, `~/.vault-token`.",
  },
  authMount: {
    type: "string",
    variable: "VAULT_AUTH_PATH",
    login: true,
    description: "Path at which the auth method is enabled. Default: its name.",
  },
  role: {
    type: "string",
    variable: "VAULT_AUTH_ROLE",
    login: true,
    description: "Role for a login by `jwt` or `kubernetes`. Default for `jwt`: that of the auth method.",
  },
  roleId: {
    type: "string",
    variable: "VAULT_ROLE_ID",
    login: true,
    description: "Id of the role for a login by `approle`.",
  },
  secretIdVariable: {
    type: "variable",
    login: true,
    description: "Variable with the secret id for `approle`. Default: `VAULT_SECRET_ID`.",
  },
  tokenVariable: {
    type: "variable",
    login: true,
    description: "Variable with the token. Default: `VAULT_TOKEN`.",
  },
  jwtVariable: {
    type: "variable",
    login: true,
    description:
      "Variable with the JWT for `jwt`. Default: `VAULT_ID_TOKEN`; on GitHub Actions, the job asks GitHub for one.",
  },
  jwtFile: {
    type: "file",
    variable: "VAULT_AUTH_JWT_FILE",
    login: true,
    description:
      "File with the JWT for `jwt` or `kubernetes`. Default for `kubernetes`: that of the service account.",
  },
  audience: {
    type: "string",
    login: true,
    description:
      "Audience of the JWT that the job asks GitHub for. Default: `VAULT_AUTH_AUDIENCE`, else the address of the server.",
  },
} as const satisfies SourceFields;
