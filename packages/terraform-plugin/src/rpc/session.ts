import type { Attributes } from "../attribute.js";
import type { Call, ClientCall, Log, Provider } from "../provider.js";
import { own } from "../values/shape.js";
import { DiagnosticError } from "./error-diagnostic.js";

/** What the calls of one connection share. */
export interface Session<Client> {
  readonly provider: Provider<Client>;
  readonly log: Log;
  /** Aborted when the user stops Terraform, and when Terraform hangs up. */
  readonly signal: AbortSignal;
  /** What `configure` has made of the provider block that this connection belongs to. */
  configured: { readonly client: Client } | undefined;
}

/** A call with the client of its connection. */
export function withClient<Client>({ configured }: Session<Client>, call: Call): ClientCall<Client> {
  if (configured) return { ...call, client: configured.client };
  throw new DiagnosticError(
    "The provider is not configured",
    "Correct the errors in its provider block first.",
  );
}

/** The definition of a type by its name. */
export function definitionOf<Definition extends { readonly attributes: Attributes }>(
  definitions: { readonly [type: string]: Definition },
  type: string,
): Definition {
  const found = own(definitions, type);
  if (found) return found;
  throw new DiagnosticError(
    "Unknown type",
    `This version of the provider has no ${JSON.stringify(type)}. Correct the name, or install a version that has it.`,
  );
}
