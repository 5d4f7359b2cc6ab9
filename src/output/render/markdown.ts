import { clip } from "./cells.js";
import type { Html } from "./html.js";
import { largest, number } from "./phrases.js";
import { visible } from "./visible.js";

/** Where a text goes. */
export interface MarkdownOptions {
  /**
   * UTF-8 bytes; at least 2,000. Default 60,000: hosts accept about 65,000 characters, and callers may add
   * some.
   */
  readonly limit?: number;
}

declare const markdown: unique symbol;
declare const cell: unique symbol;

/** Markdown in which foreign text has no effect. Only the functions of this file create it. */
export type Markdown = string & { readonly [markdown]: true };

/** The same without a pipe, for the cell of a table. */
export type Cell = Markdown & { readonly [cell]: true };

/*
 * Comments are read on a code host, which turns text into mentions, references, links and images, and shows
 * any allowed HTML to a reviewer. Foreign text (names, prompts, messages) therefore gets into a comment in
 * three ways only:
 * - in a code span whose fence is longer than any run of backticks in it. In the cell of a table, where no
 *   escape of a pipe in code means the same everywhere, its pipes are between such spans, as a character reference;
 * - in the summary of a section, between <code> tags and escaped (see `html`);
 * - in a fenced block whose fence is longer than any run of backticks in it. Hosts do not interpret code.
 * Line ends and control characters are written out first (see `visible`), so nothing can leave its line. The
 * template tags accept only what is known to be safe: a plain string does not compile.
 */

/** Markdown out of our own words and safe parts. */
export function md(words: TemplateStringsArray, ...parts: readonly (Markdown | number)[]): Markdown {
  return String.raw({ raw: words }, ...parts.map(written)) as Markdown;
}

/** One of our own phrases; never text from a document. */
export function trusted<Text extends Markdown>(ours: string): Text {
  return ours as Text;
}

/** Joins safe parts, one per line; with "\n\n" between blocks. */
export function join<Text extends Markdown>(parts: readonly Text[], separator: string): Text {
  return parts.filter((part) => part !== "").join(separator) as Text;
}

/** Foreign text as a code span. */
export function code(text: string): Markdown {
  const shown = visible(text);
  return shown.trim() === "" ? trusted("(empty)") : (codeSpan(shown) as Markdown);
}

const mostNamed = 20;

/** Foreign names as code. */
export function named(names: readonly string[]): Markdown {
  const shown = join(names.slice(0, mostNamed).map(code), ", ");
  return names.length > mostNamed ? md`${shown} and ${names.length - mostNamed} more` : shown;
}

function codeSpan(shown: string): string {
  const ticks = "`".repeat(longestRun(shown) + 1);
  // Markdown removes one space at either end, but of nothing but spaces; it separates backticks of the text from the fence.
  const isPadded = /^[` ]|[` ]$/.test(shown) && /[^ ]/.test(shown);
  return `${ticks}${isPadded ? ` ${shown} ` : shown}${ticks}`;
}

/** Foreign text in the cell of a table. */
export function codeCell(text: string): Cell {
  const shown = visible(clip(text, 200));
  if (shown.trim() === "") return trusted("");
  return shown.replace(/[^|]+/g, codeSpan).replaceAll("|", "&#124;") as Cell;
}

/**
 * A foreign sentence: plain words and numbers stay as they are; everything else (paths, ids, mentions, references,
 * links, markup) goes into code spans, each of which ends with a clause.
 */
export function sentence(text: string): Markdown {
  const parts: { is: "plain" | "code" | "span"; text: string }[] = [];
  for (const word of visible(text).match(spanOrWord) ?? []) {
    const last = parts.at(-1);
    const is = spanned.test(word) ? "span" : isPlainWord(word) || (last && isNumber(word)) ? "plain" : "code";
    if (last?.is === is && is !== "span" && !(is === "code" && endsClause.test(last.text)))
      last.text += ` ${word}`;
    else parts.push({ is, text: word });
  }
  const shown = { plain: (own: string) => own, code: codeInSentence, span: codeOfSpan };
  return parts.map((part) => shown[part.is](part.text)).join(" ") as Markdown;
}

/** Text in backticks between spaces, with the punctuation around it, or a word. */
const spanOrWord = /[("']?`[^`]+`[)"']?[,.;:!?]?(?= |$)|[^ ]+/g;
const spanned = /^([("']?)`([^`]+)`([)"']?[,.;:!?]?)$/;

function codeOfSpan(text: string): Markdown {
  const [, before = "", inner = "", after = ""] = spanned.exec(text) ?? [];
  return `${before}${code(inner)}${after}` as Markdown;
}

const endsClause = /[^\s,.;:!?][,.;:!?]$/;

/**
 * Letters, a short number or a sign of prose, with the punctuation of prose around them; not a commit hash, which hosts link.
 */
function isPlainWord(word: string): boolean {
  if (/^[0-9a-f]{7}/i.test(word)) return false;
  return (
    /^[("']*(?:\p{L}+(?:['’-]\p{L}+)*|[…–—→%])[)"']*[,.;:!?]*$/u.test(word) ||
    /^\d[\d,]{0,5}[,;:]?$/.test(word)
  );
}

/** A short number in brackets, or at the end of a sentence: at the start of a line it would begin a list. */
function isNumber(word: string): boolean {
  return /^[("']?\d[\d,]{0,5}%?[)"']?[,.;:!?]?$/.test(word);
}

/** Punctuation that ends a clause belongs to the sentence, not to the code; so does a bracket without its other half. */
function codeInSentence(text: string): Markdown {
  const stop = /[,.;:]$/.exec(text)?.[0] ?? "";
  const end = text.endsWith(`)${stop}`) && !text.includes("(") ? `)${stop}` : stop;
  const inner = text.slice(0, text.length - end.length);
  return inner === "" ? code(text) : (`${code(inner)}${end}` as Markdown);
}

/** A link to an address that we made; without one, the text alone. */
export function link(text: Markdown, url: string | undefined): Markdown {
  if (url === undefined) return text;
  if (/[\s<>\\\p{Cc}]/u.test(url)) throw new Error("Bug: an address that is not encoded");
  return `[${text}](<${url}>)` as Markdown;
}

/** A fenced block of lines; each is made visible, so that none becomes two. */
export function fenced(lines: readonly string[], language: "diff" | ""): Markdown {
  const shown = lines.map((line) => visible(line.trimEnd()));
  const ticks = "`".repeat(Math.max(3, longestRun(shown.join("\n")) + 1));
  return [`${ticks}${language}`, ...shown, ticks].join("\n") as Markdown;
}

/** A table under titles of ours. */
export function tableMarkdown(titles: readonly string[], rows: readonly (readonly Cell[])[]): Markdown {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(titles), line(titles.map(() => "---")), ...rows.map(line)].join("\n") as Markdown;
}

/** A section that can be folded, and is unless it is open. */
export function details(summary: Html, content: Markdown, isOpen = false): Markdown {
  return `<details${isOpen ? " open" : ""}>\n<summary>${summary}</summary>\n\n${content}\n\n</details>` as Markdown;
}

/** UTF-8 bytes: never fewer than the UTF-16 units that some hosts count. */
export function sizeInBytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** The result of `build` for the largest amount, up to `most`, that fits the limit; for 0 if none fits. */
export function fitting(most: number, limit: number, build: (amount: number) => Markdown): Markdown {
  const whole = build(most);
  if (sizeInBytes(whole) <= limit) return whole;
  let fits = 0;
  let tooMuch = most;
  while (tooMuch - fits > 1) {
    const middle = (fits + tooMuch) >> 1;
    if (sizeInBytes(build(middle)) <= limit) fits = middle;
    else tooMuch = middle;
  }
  return build(fits);
}

function longestRun(text: string): number {
  return largest(
    (text.match(/`+/g) ?? []).map((run) => run.length),
    0,
  );
}

function written(part: string | number): string {
  return typeof part === "number" ? number(part) : part;
}
