import { type ErrorDocument, errorDocument } from "../documents/index.js";
import { renderErrorText } from "../render/index.js";
import { type ExitCode, exitCode } from "./exit-code.js";
import type { Output } from "./output.js";

/** Exit codes of errors that have their own, by error code. */
const ownExits: Readonly<Record<string, ExitCode>> = {
  locked: exitCode.locked,
  "stale-plan": exitCode.stale,
  "sessions-active": exitCode.changesPending,
  cancelled: exitCode.cancelled,
};

/** Shows the error that ended a command: as text on stderr, and as JSON on stdout if JSON is expected. */
export function showFailure(error: unknown, output: Output, signal: AbortSignal): ExitCode {
  const document = failureDocument(error, signal);
  if (output.format === "json") output.document(document);
  else output.problem(renderErrorText(document, output.stderrText));
  if (document.code === "bug" || document.code === "unexpected") output.problem(bugReport(error));
  return ownExits[document.code] ?? (signal.aborted ? exitCode.cancelled : exitCode.failed);
}

/** An error that ended a command, or its cancellation if it was asked to stop. */
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

function bugReport(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `This is a bug in avatarops. Please report it with these lines:\n${stack}`;
}
