import { inert, renderSentence, type TextOptions } from "../render/index.js";
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
  /** Says a sentence on the way, unless it is to be quiet. */
  say(sentence: string): void;
  /** Says a sentence even when it is to be quiet. */
  warn(sentence: string): void;
  /** Shows what is rendered already on the way, unless it is to be quiet. */
  mention(rendered: string): void;
  /** Shows what is rendered already even when it is to be quiet. */
  complain(rendered: string): void;
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
  const complain = (rendered: string) => void stderr.write(closed(inert(rendered)));
  const mention = (rendered: string) => void (options.quiet || complain(rendered));
  return {
    format: options.format,
    quiet: options.quiet,
    page: pageOf(host, stdout, options.color),
    aside,
    print: (text) => void stdout.write(closed(inert(text))),
    say: (sentence) => mention(renderSentence(sentence, aside)),
    warn: (sentence) => complain(renderSentence(sentence, aside)),
    mention,
    complain,
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
