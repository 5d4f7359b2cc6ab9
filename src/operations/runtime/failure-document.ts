import { UsageError } from "../../base/diagnostics/index.js";
import { type ErrorDocument, toErrorDocument } from "../../output/documents/index.js";

/** Creates the document of an error, or of the cancellation. */
export function toFailureDocument(error: unknown, signal: AbortSignal): ErrorDocument {
  return toErrorDocument(
    isStop(error, signal) ? new UsageError("cancelled", "Stopped before it was complete.") : error,
  );
}

/** Whether an error is the result of a cancellation, whose message is always the same. */
function isStop(error: unknown, signal: AbortSignal): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "AbortError" || error === signal.reason) return true;
  return signal.aborted && "code" in error && error.code === "cancelled";
}
