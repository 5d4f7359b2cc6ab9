import { UsageError } from "../../base/diagnostics/index.js";
import { type ErrorDocument, toErrorDocument } from "../../output/documents/index.js";

/** Creates the document for an error. A cancellation always has the same message. */
export function toFailureDocument(error: unknown, signal: AbortSignal): ErrorDocument {
  return toErrorDocument(
    isStop(error, signal)
      ? new UsageError("cancelled", "The command was stopped before it completed.")
      : error,
  );
}

/** Returns whether an error is the result of a cancellation. */
function isStop(error: unknown, signal: AbortSignal): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "AbortError" || error === signal.reason) return true;
  return signal.aborted && "code" in error && error.code === "cancelled";
}
