import { UsageError } from "../../base/diagnostics/index.js";
import { type ErrorDocument, errorDocument } from "../../output/documents/index.js";

/** An error that ended an operation, or its cancellation if it was asked to stop. */
export function failureDocument(error: unknown, signal: AbortSignal): ErrorDocument {
  return errorDocument(
    isStop(error, signal) ? new UsageError("cancelled", "Stopped before it was done.") : error,
  );
}

/** After a stop request the message is the same, whatever was running. */
function isStop(error: unknown, signal: AbortSignal): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "AbortError" || error === signal.reason) return true;
  return signal.aborted && "code" in error && error.code === "cancelled";
}
