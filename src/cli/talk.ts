import type { TextOptions } from "../render/index.js";
import type { Format } from "./command.js";
import type { Host, Terminal } from "./host.js";

/** How a command speaks: results on stdout, talk on stderr. JSON and Markdown are results; talk is always text. */
export interface Talk {
  readonly format: Format;
  readonly quiet: boolean;
  /** Colour and columns of results. */
  readonly page: TextOptions;
  /** Colour and columns of talk. */
  readonly aside: TextOptions;
  /** Writes a result, as it is. */
  print(text: string): void;
  /** Says something on the way, unless it is to be quiet. */
  say(text: string): void;
  /** Says something even when it is to be quiet. */
  warn(text: string): void;
}

/** What a command line says of how to speak. */
export interface TalkOptions {
  readonly format: Format;
  readonly quiet: boolean;
  readonly color: boolean;
}

/** Columns where the width is not known: a pipe, a file, a CI log. */
const columnsOfPipes = 80;

/** The talk of one call. */
export function talkOn(host: Host, options: TalkOptions): Talk {
  const { stdout, stderr } = host;
  const aside = pageOf(host, stderr, options.color);
  return {
    format: options.format,
    quiet: options.quiet,
    page: pageOf(host, stdout, options.color),
    aside,
    print: (text) => void stdout.write(closed(text)),
    say: (text) => void (options.quiet || stderr.write(closed(text))),
    warn: (text) => void stderr.write(closed(text)),
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
