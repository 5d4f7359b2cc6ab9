import type { Call, ClientCall, Log, Provider } from "../provider.js";
import { getOwn } from "../values/shape.js";
import { DiagnosticError } from "./error-diagnostic.js";

/** State that the calls of one connection share. */
export interface Session {
  readonly provider: Provider<unknown>;
  readonly log: Log;
  /** Signal that aborts when the user stops Terraform or Terraform disconnects. */
  readonly signal: AbortSignal;
  /** Client that `configure` returned for this connection's provider block. */
  configured: { readonly client: unknown } | undefined;
}

/** Adds the connection's client to a call. */
export function withClient({ configured }: Session, call: Call): ClientCall<unknown> {
  if (configured) return { ...call, client: configured.client };
  throw new DiagnosticError(
    "The provider is not configured",
    "Correct the errors in its provider block first.",
  );
}

/**
 * Returns a type's definition.
 *
 * @throws DiagnosticError for an unknown type.
 */
export function findDefinition<Definition>(
  definitions: { readonly [type: string]: Definition },
  type: string,
): Definition {
  const found = getOwn(definitions, type);
  if (found) return found;
  throw new DiagnosticError(
    "Unknown type",
    `This provider version has no ${JSON.stringify(type)}. Correct the name, or install a provider version that has it.`,
  );
}
