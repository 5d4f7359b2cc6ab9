import type { SourceFile } from "../../../base/diagnostics/index.js";
import { withLineFeeds } from "../../kinds/index.js";
import { hasHalfCharacter } from "./yaml-text.js";
import type { YamlPart } from "./yaml-tree.js";

/*
 * A Markdown file is an object: front matter between two `---` lines for its fields, the body for its prose.
 *
 *     ---
 *     name: Support desk
 *     ---
 *     You answer politely.
 *
 * The body begins right behind the line end of the second `---` line, and one line end at its very end, which editors
 * add, is not part of it. Line ends are read as line feeds, since git on Windows may have made others of them. Everything
 * else keeps its bytes, so that every text can be written as a body.
 */

/** Splits a Markdown file in two. `frontMatter` is undefined if the file does not start with `---`. */
export function markdownParts(source: SourceFile): { frontMatter?: YamlPart; bodyStart: number } {
  const opening = /^---[ \t]*\r?\n/.exec(source.text);
  if (!opening) return { bodyStart: 0 };
  const start = opening[0].length;
  const closing = /(?<=\n)---[ \t]*(?:\r?\n|$)/g;
  closing.lastIndex = start;
  const end = closing.exec(source.text);
  // Without a closing line it is a body that starts with a horizontal rule.
  if (!end) return { bodyStart: 0 };
  const frontMatter = { source, at: "front-matter", start, end: end.index } as const;
  return { frontMatter, bodyStart: end.index + end[0].length };
}

/** A `---` line with a field below it, as front matter begins. */
const beginning = /^---[ \t]*\r?\n[ \t]*[\w-]+[ \t]*:/m;
const maxLateCharacters = 2_000;

/** Why the front matter of a text that has none by its form is not found; undefined if none was meant. */
export function misplacedFrontMatter({ text }: SourceFile): MisplacedFrontMatter | undefined {
  if (/^\+\+\+[ \t]*\r?\n/.test(text))
    return { problem: "is TOML", at: 0, hint: "write YAML between two --- lines" };
  const at = beginning.exec(text.slice(0, maxLateCharacters))?.index;
  if (at === undefined) return undefined;
  if (at === 0) return { problem: "is never closed", at, hint: "end it with a line of ---" };
  const isClosed = /^---[ \t]*$/m.test(text.slice(at + 4, at + 4 + maxLateCharacters));
  if (!isClosed) return undefined;
  return { problem: "does not begin in the first line", at, hint: "remove what is above its first ---" };
}

interface MisplacedFrontMatter {
  /** Continues "front matter". */
  readonly problem: string;
  readonly at: number;
  readonly hint: string;
}

/** The end of the text at the end of a file: before one final line end. */
export function endOfText(text: string, start = 0): number {
  const end = /\r?\n$/.exec(text.slice(Math.max(start, text.length - 2)))?.[0].length ?? 0;
  return text.length - end;
}

/** The text of a file from `start` on: with line feeds, without one final line end. */
export function textOfFile(text: string, start = 0): string {
  const held = withLineFeeds(text.slice(start));
  return held.endsWith("\n") ? held.slice(0, -1) : held;
}

/** The content of a file that reads as `text`; undefined if there is none. */
export function fileText(text: string): string | undefined {
  return hasHalfCharacter(text) ? undefined : inFile(text, "\n");
}

/** `text` as the end of a file with the given line ends, so that reading returns it, except for line ends. */
export function inFile(text: string, lineEnd: "\n" | "\r\n"): string {
  const lines = withLineFeeds(text).replaceAll("\n", lineEnd);
  // A carriage return before a line feed would be read as part of the line end.
  return lines.endsWith("\r") ? lines : lines + lineEnd;
}
