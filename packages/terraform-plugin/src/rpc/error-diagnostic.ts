import type { Diagnostic } from "../diagnostic.js";
import type { Provider } from "../provider.js";
import { ValueError } from "../values/value-error.js";

/** A refusal by the framework itself, thrown because the call cannot continue. */
export class DiagnosticError extends Error {
  readonly diagnostic: Diagnostic;

  constructor(summary: string, detail: string) {
    super(summary);
    this.name = "DiagnosticError";
    this.diagnostic = { severity: "error", summary, detail };
  }
}

/**
 * Returns the diagnostic for a thrown value, instead of a bare error of the transport, which has neither location nor
 * advice. `what` names the call and the type.
 */
export function errorDiagnostic(
  error: unknown,
  what: string,
  provider: Pick<Provider<unknown>, "explain">,
): Diagnostic {
  if (error instanceof DiagnosticError) return error.diagnostic;
  // Only for received values: a value that cannot be written is a different error.
  if (error instanceof ValueError) {
    return {
      severity: "error",
      summary: "A value cannot be read",
      detail: `A value in ${what} does not match the schema: ${error.message}. If it is not the value that is wrong, this version of the provider does not work with this version of Terraform or OpenTofu.`,
    };
  }
  return provider.explain(error) ?? createBugDiagnostic(`${what} failed.\n\n${toStack(error)}`);
}

/** Returns whether a value was thrown because the user stops Terraform. */
export function isCancellation(error: unknown, { aborted, reason }: AbortSignal): boolean {
  return aborted && (error === reason || (error instanceof Error && error.name === "AbortError"));
}

export const cancelledDiagnostic: Diagnostic = {
  severity: "error",
  summary: "Operation cancelled",
  detail: "It did not finish before the run was cancelled. Run a plan to see what is left to do.",
};

function createBugDiagnostic(detail: string): Diagnostic {
  return {
    severity: "error",
    summary: "This is a bug in the provider",
    detail: `${detail}\n\nPlease report it to the authors of the provider.`,
  };
}

function toStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
