import { failureDocument, InvalidProjectError } from "../../operations/index.js";
import type { DiagnosticsDocument } from "../../output/documents/index.js";
import { renderText } from "../../output/render/index.js";
import { type ExitCode, errorExitCode, exitCode } from "./exit-code.js";
import type { Output } from "./output.js";

/** Shows the error that ended a command: as text on stderr, and as JSON on stdout if JSON is expected. */
export function showFailure(error: unknown, output: Output, signal: AbortSignal): ExitCode {
  if (error instanceof InvalidProjectError) {
    showDiagnostics(error.diagnostics, output);
    return exitCode.failed;
  }
  const document = failureDocument(error, signal);
  if (output.format === "json") output.document(document);
  else output.problem(renderText(document, output.stderrText));
  if (document.code === "bug" || document.code === "unexpected") output.problem(bugReport(error));
  return errorExitCode(document.code, signal.aborted);
}

/** The same for the errors of the files. */
function showDiagnostics(document: DiagnosticsDocument, output: Output): void {
  if (output.format === "json") output.document(document);
  else output.problem(renderText(document, output.stderrText));
}

function bugReport(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `This is a bug in avatarops. Please report it with these lines:\n${stack}`;
}
