import type { FieldsIn, SourceFields } from "../../source-kind.js";

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
