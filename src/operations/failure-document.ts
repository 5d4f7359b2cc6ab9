import { type ErrorDocument, errorDocument } from "../output/documents/index.js";

/** An error that ended an operation, or its cancellation if it was asked to stop. */
export function failureDocument(error: unknown, signal: AbortSignal): ErrorDocument {
  return errorDocument(isStop(error, signal) ? new CancelledError() : error);
}

class CancelledError extends Error {
  readonly code = "cancelled";

  constructor() {
    super("Stopped before it was done.");
  }
}

/** After a stop request the message is the same, whatever was running. */
function isStop(error: unknown, signal: AbortSignal): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "AbortError" || error === signal.reason) return true;
  return signal.aborted && "code" in error && error.code === "cancelled";
}
