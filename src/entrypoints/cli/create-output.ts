import { quoteShellWord } from "../../operations/index.js";
import {
  disarmCommands,
  type RepeatedOptions,
  renderJson,
  renderJsonLine,
  renderMarkdown,
  renderSentence,
  renderText,
  renderWarnings,
  repeatInDocument,
  type TextOptions,
} from "../../output/render/index.js";
import { type Host, isLive, type Terminal } from "./host.js";
import type { Output, OutputOptions } from "./output.js";
import { showProgress, showReading } from "./progress.js";
import { showPlanProgress } from "./show-plan.js";

export function createOutput(host: Host, options: OutputOptions): Output {
  const { stdout, stderr } = host;
  const repeated = quoteOptions(options.project);
  const aside = { ...readTextOptions(host, stderr, options.color), repeated };
  const writeError = (rendered: string) => void stderr.write(endLine(disarmCommands(rendered)));
  const writeResult = (text: string) => void stdout.write(endLine(disarmCommands(text)));
  let isWatched = false;
  let isLost = false;
  const json = options.jsonLines ? renderJsonLine : renderJson;
  const writeUnlessQuiet = (rendered: string) => void (options.quiet || writeError(rendered));
  const output: Output = {
    format: options.format,
    quiet: options.quiet,
    stdoutText: { ...readTextOptions(host, stdout, options.color), repeated },
    stderrText: aside,
    writeResult,
    writeExact: (text) => void stdout.write(text),
    writeDocument: (document) => writeResult(json(repeatInDocument(document, repeated))),
    forProject: (project) => createOutput(host, { ...options, project }),
    show(document) {
      if (options.format === "json") output.writeDocument(document);
      else if (options.format === "markdown") writeResult(renderMarkdown(document, { repeated }));
      else writeResult(renderText(document, output.stdoutText));
    },
    writePart: async (text) => {
      // A closed pipe shows up only as an error event, because Node never destroys a process's standard streams.
      if (!isWatched) stdout.once?.("error", () => (isLost = true));
      isWatched = true;
      if (text !== "" && !isLost) stdout.write(disarmCommands(text));
      if (stdout.writableNeedDrain && !isLost) await waitForDrain(stdout);
      return !isLost;
    },
    info: (sentence) => writeUnlessQuiet(renderSentence(sentence, aside)),
    warn: (sentence) => writeError(renderSentence(sentence, aside)),
    progress: writeUnlessQuiet,
    writeProblem: writeError,
    diagnostics(document, { isFresh = false } = {}) {
      if (!isFresh) writeUnlessQuiet(renderWarnings(document, aside));
      else if (options.format !== "json") writeError(renderText(document, aside));
    },
    plan: (plan, manifest) => showPlanProgress(output, plan, manifest),
    applying: (work) => showProgress({ host, output }, work),
    reading: (service, work) => showReading({ host, output }, service, work),
  };
  return output;
}

function quoteOptions({ file, env }: OutputOptions["project"] = {}): RepeatedOptions {
  return {
    ...(file !== undefined && { file: quoteShellWord(file) }),
    ...(env !== undefined && { env: quoteShellWord(env) }),
  };
}

function waitForDrain(stream: Terminal): Promise<void> {
  return new Promise((resolve) => {
    if (!stream.once) resolve();
    for (const event of ["drain", "error"] as const) stream.once?.(event, resolve);
  });
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/**
 * Reads color and width. NO_COLOR overrides FORCE_COLOR, as no-color.org specifies. Without COLUMNS, output of unknown
 * width (a pipe, or a terminal with 0 columns) is not wrapped.
 */
function readTextOptions(host: Host, terminal: Terminal, isColorAllowed: boolean): TextOptions {
  const { NO_COLOR: none, FORCE_COLOR: forced, TERM: term, COLUMNS: columns } = host.environment;
  const supportsColor = forced
    ? forced !== "0" && forced !== "false"
    : isLive(host, terminal) && term !== "dumb";
  return {
    color: isColorAllowed && !none && supportsColor,
    width: terminal.columns || Number.parseInt(columns ?? "", 10) || Number.POSITIVE_INFINITY,
  };
}
