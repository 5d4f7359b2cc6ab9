import { InvalidProjectError, toFailureDocument } from "../../operations/index.js";
import { renderText } from "../../output/render/index.js";
import { type ExitCode, exitCode, toExitCode } from "./exit-code.js";
import type { Output } from "./output.js";

/** Shows the error that ended a command, on stderr as text or on stdout as JSON. Returns the exit code. */
export function showFailure(error: unknown, output: Output, signal: AbortSignal): ExitCode {
  const document =
    error instanceof InvalidProjectError ? error.diagnostics : toFailureDocument(error, signal);
  if (output.format === "json") output.writeDocument(document);
  else output.writeProblem(renderText(document, output.stderrText));
  if (!("code" in document)) return exitCode.failed;
  if (document.code === "bug" || document.code === "unexpected") {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    output.writeProblem(`This is a bug in avatarops. Please report it with these lines:\n${stack}`);
  }
  return toExitCode(document.code, signal.aborted);
}
