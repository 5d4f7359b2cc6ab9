import { clip } from "./cells.js";
import type { Html } from "./html.js";
import { findLargest, formatNumber } from "./phrases.js";
import { makeVisible } from "./visible.js";

export interface MarkdownOptions {
  /**
   * Maximum size in UTF-8 bytes, at least 2,000. Default 60,000, because hosts accept about 65,000 characters and
   * callers may add text.
   */
  readonly limit?: number;
}

declare const markdown: unique symbol;
declare const cell: unique symbol;

/** Markdown in which untrusted text cannot create markup, links or mentions. Created only in this file. */
export type Markdown = string & { readonly [markdown]: true };

/** Markdown for a table cell, without pipes. */
export type Cell = Markdown & { readonly [cell]: true };

/*
 * Code hosts turn text in comments into mentions, references, links, images and HTML, but do not interpret code.
 * Untrusted text (names, prompts, messages) is therefore only inserted in three ways:
 * - in a code span whose fence is longer than any run of backticks in it. In a table cell, pipes become character
 *   references between code spans, because no escape of a pipe in code works on every host;
 * - in the summary of a section, escaped between <code> tags (see `html`);
 * - in a fenced block whose fence is longer than any run of backticks in it.
 * Line endings and control characters are first replaced by visible codes (see `makeVisible`), so nothing can leave its
 * line.
 */

/** Creates Markdown from literal text and safe parts. */
export function md(words: TemplateStringsArray, ...parts: readonly (Markdown | number)[]): Markdown {
  return String.raw({ raw: words }, ...parts.map(writePart)) as Markdown;
}

/** Marks text written by avatarops as safe. Never use it for text from a document. */
export function trustText<Text extends Markdown>(ours: string): Text {
  return ours as Text;
}

/** Joins the non-empty parts. */
export function join<Text extends Markdown>(parts: readonly Text[], separator: string): Text {
  return parts.filter((part) => part !== "").join(separator) as Text;
}

/** Prints untrusted text as a code span. */
export function toCode(text: string): Markdown {
  const shown = makeVisible(text);
  return shown.trim() === "" ? trustText("(empty)") : (wrapInBackticks(shown) as Markdown);
}

const maxNamed = 20;

export function listCodeNames(names: readonly string[]): Markdown {
  const shown = join(names.slice(0, maxNamed).map(toCode), ", ");
  return names.length > maxNamed ? md`${shown} and ${names.length - maxNamed} more` : shown;
}

function wrapInBackticks(shown: string): string {
  const ticks = "`".repeat(findLongestRun(shown) + 1);
  // Markdown strips one space at each end of a code span, unless it is blank. The padding also separates backticks from
  // the fence.
  const isPadded = /^[` ]|[` ]$/.test(shown) && /[^ ]/.test(shown);
  return `${ticks}${isPadded ? ` ${shown} ` : shown}${ticks}`;
}

/** Prints untrusted text in a table cell. */
export function toCodeCell(text: string): Cell {
  const shown = makeVisible(clip(text, 200));
  if (shown.trim() === "") return trustText("");
  return shown.replace(/[^|]+/g, wrapInBackticks).replaceAll("|", "&#124;") as Cell;
}

/**
 * Prints an untrusted sentence. Plain words and numbers stay unchanged, and everything else (paths, ids, mentions, links,
 * markup) goes into code spans, which end at the end of a clause.
 */
export function toSentence(text: string): Markdown {
  const parts: { is: "plain" | "code" | "span"; text: string }[] = [];
  for (const word of makeVisible(text).match(spanOrWord) ?? []) {
    const last = parts.at(-1);
    const is = spanned.test(word) ? "span" : isPlainWord(word) || (last && isNumber(word)) ? "plain" : "code";
    if (last?.is === is && is !== "span" && !(is === "code" && endsClause.test(last.text)))
      last.text += ` ${word}`;
    else parts.push({ is, text: word });
  }
  const shown = { plain: (own: string) => own, code: toCodeInSentence, span: toCodeFromBackticks };
  return parts.map((part) => shown[part.is](part.text)).join(" ") as Markdown;
}

/** Text in backticks with surrounding punctuation, or a word. */
const spanOrWord = /[("']?`[^`]+`[)"']?[,.;:!?]?(?= |$)|[^ ]+/g;
const spanned = /^([("']?)`([^`]+)`([)"']?[,.;:!?]?)$/;

function toCodeFromBackticks(text: string): Markdown {
  const [, before = "", inner = "", after = ""] = spanned.exec(text) ?? [];
  return `${before}${toCode(inner)}${after}` as Markdown;
}

const endsClause = /[^\s,.;:!?][,.;:!?]$/;

/**
 * Returns whether a word consists of letters, a short number or a symbol, with normal punctuation. Excludes words that
 * look like commit hashes, because hosts turn them into links.
 */
function isPlainWord(word: string): boolean {
  if (/^[0-9a-f]{7}/i.test(word)) return false;
  return (
    /^[("']*(?:\p{L}+(?:['’-]\p{L}+)*|[…–—→%])[)"']*[,.;:!?]*$/u.test(word) ||
    /^\d[\d,]{0,5}[,;:]?$/.test(word)
  );
}

/**
 * Returns whether a word is a short number, optionally in brackets or with punctuation. At the start of a line, such a
 * number could begin a list.
 */
function isNumber(word: string): boolean {
  return /^[("']?\d[\d,]{0,5}%?[)"']?[,.;:!?]?$/.test(word);
}

/** Prints a word as code, except trailing punctuation or an unmatched bracket, which belong to the sentence. */
function toCodeInSentence(text: string): Markdown {
  const stop = /[,.;:]$/.exec(text)?.[0] ?? "";
  const end = text.endsWith(`)${stop}`) && !text.includes("(") ? `)${stop}` : stop;
  const inner = text.slice(0, text.length - end.length);
  return inner === "" ? toCode(text) : (`${toCode(inner)}${end}` as Markdown);
}

/** Links to a URL that we built, or prints only the text if there is none. */
export function link(text: Markdown, url: string | undefined): Markdown {
  if (url === undefined) return text;
  if (/[\s<>\\\p{Cc}]/u.test(url)) throw new Error("Bug: a URL that is not encoded");
  return `[${text}](<${url}>)` as Markdown;
}

/** Prints a fenced block. Escapes line breaks and invisible characters within a line (see `makeVisible`). */
export function fenceLines(lines: readonly string[], language: "diff" | ""): Markdown {
  const shown = lines.map((line) => makeVisible(line.trimEnd()));
  const ticks = "`".repeat(Math.max(3, findLongestRun(shown.join("\n")) + 1));
  return [`${ticks}${language}`, ...shown, ticks].join("\n") as Markdown;
}

/** Renders a table. Titles are not escaped, so they must not contain untrusted text. */
export function renderTable(titles: readonly string[], rows: readonly (readonly Cell[])[]): Markdown {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(titles), line(titles.map(() => "---")), ...rows.map(line)].join("\n") as Markdown;
}

/** Prints a section that can be folded. */
export function renderDetails(summary: Html, content: Markdown, isOpen = false): Markdown {
  return `<details${isOpen ? " open" : ""}>\n<summary>${summary}</summary>\n\n${content}\n\n</details>` as Markdown;
}

/** Returns the number of UTF-8 bytes, which is at least the number of UTF-16 units that some hosts count. */
export function measureBytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** Returns the result of `build` for the largest amount up to `max` that fits the limit, or for 0 if none fits. */
export function cutToLimit(max: number, limit: number, build: (amount: number) => Markdown): Markdown {
  const whole = build(max);
  if (measureBytes(whole) <= limit) return whole;
  let fits = 0;
  let tooMuch = max;
  while (tooMuch - fits > 1) {
    const middle = (fits + tooMuch) >> 1;
    if (measureBytes(build(middle)) <= limit) fits = middle;
    else tooMuch = middle;
  }
  return build(fits);
}

function findLongestRun(text: string): number {
  return findLargest(
    (text.match(/`+/g) ?? []).map((run) => run.length),
    0,
  );
}

function writePart(part: string | number): string {
  return typeof part === "number" ? formatNumber(part) : part;
}
