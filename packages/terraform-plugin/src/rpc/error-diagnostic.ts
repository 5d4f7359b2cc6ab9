import type { Diagnostic } from "../diagnostic.js";
import type { Provider } from "../provider.js";
import { ValueError } from "../values/value-error.js";

/** Error found by the framework, thrown because the call cannot continue. */
export class DiagnosticError extends Error {
  readonly diagnostic: Diagnostic;

  constructor(summary: string, detail: string) {
    super(summary);
    this.name = "DiagnosticError";
    this.diagnostic = { severity: "error", summary, detail };
  }
}

/**
 * Converts a thrown value to a diagnostic, because a bare transport error would have neither location nor advice.
 * `call` names the call and the type.
 */
export function toErrorDiagnostic(
  error: unknown,
  call: string,
  provider: Pick<Provider<unknown>, "explain">,
): Diagnostic {
  if (error instanceof DiagnosticError) return error.diagnostic;
  // Thrown only for received values. Values that cannot be encoded cause other errors.
  if (error instanceof ValueError) {
    return {
      severity: "error",
      summary: "A value cannot be read",
      detail: `A value in ${call} does not match the schema: ${error.message}. Correct the value, or use a provider version that supports this Terraform or OpenTofu version.`,
    };
  }
  return provider.explain(error) ?? createBugDiagnostic(`${call} failed.\n\n${toStack(error)}`);
}

/** Returns whether a value was thrown because the user stopped Terraform. */
export function isCancellation(error: unknown, { aborted, reason }: AbortSignal): boolean {
  return aborted && (error === reason || (error instanceof Error && error.name === "AbortError"));
}

export const cancelledDiagnostic: Diagnostic = {
  severity: "error",
  summary: "Operation cancelled",
  detail: "The run was cancelled before it finished. Plan again to see the remaining changes.",
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
