import { SourceProblem } from "../../source-error.js";
import type { FieldsIn, SourceContext, SourceFields } from "../../source-kind.js";

export interface VaultServer {
  /** Base URL without a final slash. */
  readonly address: string;
  readonly namespace: string | undefined;
}

/** @throws SourceProblem if the server address is missing or malformed. */
export function readServer({ address: given, namespace }: VaultFields): VaultServer {
  if (!given)
    throw new SourceProblem(
      "not-set",
      "cannot be read: the server address is missing. Set VAULT_ADDR, or the field `address`.",
    );
  const address = parseServerAddress(given);
  if (address !== undefined)
    return { address, namespace: namespace?.replaceAll(/^\/|\/$/g, "") || undefined };
  // Omits the URL, which may contain a password.
  throw new SourceProblem(
    "failed",
    "cannot be read: the server address is malformed. Set VAULT_ADDR, or the field `address`, to a URL such as https://vault.example.com:8200.",
  );
}

export function readVariable(
  environment: SourceContext["environment"],
  name: `VAULT_${string}`,
): string | undefined {
  return environment[name]?.trim() || undefined;
}

/**
 * Parses a server URL and drops the final slash. Returns undefined for other strings, and for URLs with credentials or
 * a query.
 */
function parseServerAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && `${url.username}${url.password}${url.search}${url.hash}` === "";
  return isPlain && /^https?:$/.test(url.protocol) ? url.href.replace(/\/$/, "") : undefined;
}

/** Fields of `!vault`. Login settings come from the environment. */
export type VaultFields = FieldsIn<typeof fields>;

export const fields = {
  path: {
    type: "string",
    required: true,
    description: "Secret path, including the secrets engine, such as `kv/llm`.",
  },
  field: { type: "string", required: true, description: "Field name in the secret." },
  address: {
    type: "url",
    variable: "VAULT_ADDR",
    description: "Server URL, such as `https://vault.example.com:8200`.",
  },
  namespace: {
    type: "string",
    variable: "VAULT_NAMESPACE",
    description: "Namespace of the secret and the login.",
  },
} as const satisfies SourceFields;
