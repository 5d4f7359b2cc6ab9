import type { Diagnostic } from "../diagnostic.js";
import type { Provider } from "../provider.js";
import { ValueError } from "../values/value-error.js";

/** What the framework itself refuses; thrown, since the call cannot go on. */
export class DiagnosticError extends Error {
  readonly diagnostic: Diagnostic;

  constructor(summary: string, detail: string) {
    super(summary);
    this.name = "DiagnosticError";
    this.diagnostic = { severity: "error", summary, detail };
  }
}

/**
 * What the user sees of something thrown: never a bare error of the transport, which has neither a place nor
 * advice. `what` names the call and the type.
 */
export function errorDiagnostic(
  error: unknown,
  what: string,
  provider: Pick<Provider<unknown>, "explain">,
): Diagnostic {
  if (error instanceof DiagnosticError) return error.diagnostic;
  // What was sent to us: what we cannot write is another error.
  if (error instanceof ValueError) {
    return {
      severity: "error",
      summary: "A value cannot be read",
      detail: `A value in ${what} does not match the schema: ${error.message}. If it is not the value that is wrong, this version of the provider does not work with this version of Terraform or OpenTofu.`,
    };
  }
  return provider.explain(error) ?? bug(`${what} failed.\n\n${toStack(error)}`);
}

/** Whether something was thrown because the user stops Terraform. */
export function isCancellation(error: unknown, { aborted, reason }: AbortSignal): boolean {
  return aborted && (error === reason || (error instanceof Error && error.name === "AbortError"));
}

export const cancelledDiagnostic: Diagnostic = {
  severity: "error",
  summary: "Operation cancelled",
  detail: "It did not finish before the run was cancelled. Run a plan to see what is left to do.",
};

function bug(detail: string): Diagnostic {
  return {
    severity: "error",
    summary: "This is a bug in the provider",
    detail: `${detail}\n\nPlease report it to the authors of the provider.`,
  };
}

function toStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
