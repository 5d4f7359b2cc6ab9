import { failed, notSet } from "../../source-error.js";
import type { FieldsIn, SourceContext, SourceFields } from "../../source-kind.js";

/** Which server is asked. */
export interface VaultServer {
  /** Without a final slash. */
  readonly address: string;
  readonly namespace: string | undefined;
}

/** @throws SourceProblem if there is no address of a server. */
export function readServer({ address: given, namespace }: VaultFields): VaultServer {
  if (!given)
    throw notSet("cannot be read: no address of a server is given. Set VAULT_ADDR, or the field `address`.");
  const address = parseServerAddress(given);
  if (address !== undefined)
    return { address, namespace: namespace?.replaceAll(/^\/|\/$/g, "") || undefined };
  // The address is not repeated: what is wrong with it may be a password in it.
  throw failed(
    "cannot be read: the address of the server is not one like https://vault.example.com:8200. Correct VAULT_ADDR, or the field `address`.",
  );
}

/** What the environment says about logging in. */
export function readVariable(
  environment: SourceContext["environment"],
  name: `VAULT_${string}`,
): string | undefined {
  return environment[name]?.trim() || undefined;
}

/** Without a final slash; undefined if it is none, or has credentials or a query. */
function parseServerAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && `${url.username}${url.password}${url.search}${url.hash}` === "";
  return isPlain && /^https?:$/.test(url.protocol) ? url.href.replace(/\/$/, "") : undefined;
}

/** Fields of `!vault`: a field of a secret in a KV secrets engine, and its server. How to log in, the environment says. */
export type VaultFields = FieldsIn<typeof fields>;

export const fields = {
  path: {
    type: "string",
    required: true,
    description: "Path of the secret, with that of its secrets engine: `kv/llm`.",
  },
  field: { type: "string", required: true, description: "Name of the field in the secret." },
  address: {
    type: "url",
    variable: "VAULT_ADDR",
    description: "Address of the server: `https://vault.example.com:8200`.",
  },
  namespace: {
    type: "string",
    variable: "VAULT_NAMESPACE",
    description: "Namespace of the secret and of the login.",
  },
} as const satisfies SourceFields;
