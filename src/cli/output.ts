import { inert, renderSentence, type TextOptions } from "../render/index.js";
import type { Format } from "./format.js";
import type { Host, Terminal } from "./host.js";

/** How a command speaks: results on stdout, progress and messages on stderr. JSON and Markdown are results; messages are always text. */
export interface Output {
  readonly format: Format;
  readonly quiet: boolean;
  /** Colour and columns of results. */
  readonly stdoutText: TextOptions;
  /** Colour and columns of messages. */
  readonly stderrText: TextOptions;
  /** Writes a result, as it is. */
  result(text: string): void;
  /** Says a sentence on the way, unless it is to be quiet. */
  info(sentence: string): void;
  /** Says a sentence even when it is to be quiet. */
  warn(sentence: string): void;
  /** Shows what is rendered already on the way, unless it is to be quiet. */
  progress(rendered: string): void;
  /** Shows what is rendered already even when it is to be quiet. */
  problem(rendered: string): void;
}

/** What a command line says of how to speak. */
export interface OutputOptions {
  readonly format: Format;
  readonly quiet: boolean;
  readonly color: boolean;
}

/** Columns where the width is not known: a pipe, a file, a CI log. */
const columnsOfPipes = 80;

/** The output of one call. */
export function createOutput(host: Host, options: OutputOptions): Output {
  const { stdout, stderr } = host;
  const aside = pageOf(host, stderr, options.color);
  const complain = (rendered: string) => void stderr.write(closed(inert(rendered)));
  const mention = (rendered: string) => void (options.quiet || complain(rendered));
  return {
    format: options.format,
    quiet: options.quiet,
    stdoutText: pageOf(host, stdout, options.color),
    stderrText: aside,
    result: (text) => void stdout.write(closed(inert(text))),
    info: (sentence) => mention(renderSentence(sentence, aside)),
    warn: (sentence) => complain(renderSentence(sentence, aside)),
    progress: mention,
    problem: complain,
  };
}

function closed(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** NO_COLOR wins over FORCE_COLOR, as no-color.org asks; a CI log that shows colour says so with FORCE_COLOR. */
function pageOf({ environment }: Host, terminal: Terminal, wanted: boolean): TextOptions {
  const { NO_COLOR: none, FORCE_COLOR: forced, TERM: term } = environment;
  const able = forced ? forced !== "0" : terminal.isTTY === true && term !== "dumb";
  return { color: wanted && !none && able, width: terminal.columns ?? columnsOfPipes };
}
