import { inert, renderJson, renderJsonLine, renderSentence, type TextOptions } from "../render/index.js";
import type { Format } from "./format.js";
import type { Host, Terminal } from "./host.js";

/**
 * The output of a command: results on stdout, progress and messages on stderr. JSON and Markdown are results;
 * messages are always text.
 */
export interface Output {
  readonly format: Format;
  readonly quiet: boolean;
  /** Colour and width of results. */
  readonly stdoutText: TextOptions;
  /** Colour and width of messages. */
  readonly stderrText: TextOptions;
  /** Writes a result unchanged. */
  result(text: string): void;
  /** Writes a document as JSON, as a result. */
  document(document: object): void;
  /** Writes a part of a long result, once its reader has taken the one before. False: nobody reads it any more. */
  part(text: string): Promise<boolean>;
  /** Writes a message, unless --quiet. */
  info(sentence: string): void;
  /** Writes a message, even with --quiet. */
  warn(sentence: string): void;
  /** Writes rendered text to stderr, unless --quiet. */
  progress(rendered: string): void;
  /** Writes rendered text to stderr, even with --quiet. */
  problem(rendered: string): void;
}

/** The options of a command line that affect its output. */
export interface OutputOptions {
  readonly format: Format;
  readonly quiet: boolean;
  readonly color: boolean;
  /** One line for each document. */
  readonly jsonLines?: boolean;
}

/** The output of one call. */
export function createOutput(host: Host, options: OutputOptions): Output {
  const { stdout, stderr } = host;
  const aside = pageOf(host, stderr, options.color);
  const complain = (rendered: string) => void stderr.write(closed(inert(rendered)));
  const result = (text: string) => void stdout.write(closed(inert(text)));
  let isWatched = false;
  let isLost = false;
  const json = options.jsonLines ? renderJsonLine : renderJson;
  const mention = (rendered: string) => void (options.quiet || complain(rendered));
  return {
    format: options.format,
    quiet: options.quiet,
    stdoutText: pageOf(host, stdout, options.color),
    stderrText: aside,
    result,
    document: (document) => result(json(document)),
    part: async (text) => {
      // A closed pipe is known by its error alone: the streams of a process are never destroyed.
      if (!isWatched) stdout.once?.("error", () => (isLost = true));
      isWatched = true;
      if (text !== "" && !isLost) stdout.write(inert(text));
      if (stdout.writableNeedDrain && !isLost) await drained(stdout);
      return !isLost;
    },
    info: (sentence) => mention(renderSentence(sentence, aside)),
    warn: (sentence) => complain(renderSentence(sentence, aside)),
    progress: mention,
    problem: complain,
  };
}

function drained(stream: Terminal): Promise<void> {
  return new Promise((resolve) => {
    if (!stream.once) resolve();
    for (const event of ["drain", "error"] as const) stream.once?.(event, resolve);
  });
}

function closed(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/**
 * NO_COLOR wins over FORCE_COLOR, as no-color.org asks; CI systems that show colour set FORCE_COLOR. A pipe, a file and a
 * log have no width, and a terminal of 0 columns does not know its own: nothing is wrapped or cut for them, unless COLUMNS says how wide they are.
 */
function pageOf({ environment }: Host, terminal: Terminal, isColorAllowed: boolean): TextOptions {
  const { NO_COLOR: none, FORCE_COLOR: forced, TERM: term, COLUMNS: columns } = environment;
  const able = forced ? forced !== "0" : terminal.isTTY === true && term !== "dumb";
  return {
    color: isColorAllowed && !none && able,
    width: terminal.columns || Number.parseInt(columns ?? "", 10) || Number.POSITIVE_INFINITY,
  };
}
