import type { SourceFile } from "../../../base/diagnostics/index.js";
import { normalizeLineEnds } from "../../kinds/index.js";
import { hasLoneSurrogate } from "./yaml-text.js";
import type { YamlPart } from "./yaml-tree.js";

/*
 * A Markdown file declares an object: front matter between two `---` lines for its fields, and the body for its prose.
 *
 *     ---
 *     name: Support desk
 *     ---
 *     You answer politely.
 *
 * The body starts after the line ending of the second `---` line. One final line ending, which editors add, is not part
 * of the body. Line endings are read as line feeds, because git on Windows may convert them. All other bytes are kept,
 * so that every text can be written as a body.
 */

/** Splits a Markdown file. `frontMatter` is undefined if the file does not start with `---`. */
export function splitMarkdown(source: SourceFile): { frontMatter?: YamlPart; bodyStart: number } {
  const opening = /^---[ \t]*\r?\n/.exec(source.text);
  if (!opening) return { bodyStart: 0 };
  const start = opening[0].length;
  const closing = /(?<=\n)---[ \t]*(?:\r?\n|$)/g;
  closing.lastIndex = start;
  const end = closing.exec(source.text);
  // Without a closing line, the first `---` is a horizontal rule in the body.
  if (!end) return { bodyStart: 0 };
  const frontMatter = { source, at: "front-matter", start, end: end.index } as const;
  return { frontMatter, bodyStart: end.index + end[0].length };
}

/** Pattern for a `---` line followed by a field. */
const frontMatterStart = /^---[ \t]*\r?\n[ \t]*[\w-]+[ \t]*:/m;
const maxLateCharacters = 2_000;

/** Finds invalid front matter, such as TOML or a block that is never closed. */
export function findMisplacedFrontMatter({ text }: SourceFile): MisplacedFrontMatter | undefined {
  if (/^\+\+\+[ \t]*\r?\n/.test(text))
    return { problem: "is TOML", at: 0, hint: "write YAML between two --- lines" };
  const at = frontMatterStart.exec(text.slice(0, maxLateCharacters))?.index;
  if (at === undefined) return undefined;
  if (at === 0) return { problem: "is never closed", at, hint: "end it with a --- line" };
  const isClosed = /^---[ \t]*$/m.test(text.slice(at + 4, at + 4 + maxLateCharacters));
  if (!isClosed) return undefined;
  return { problem: "does not start on the first line", at, hint: "remove the text above its first ---" };
}

interface MisplacedFrontMatter {
  /** Predicate of a sentence that starts with "the front matter". */
  readonly problem: string;
  readonly at: number;
  readonly hint: string;
}

/** Returns the end of a file's text, before one final line ending. */
export function findTextEnd(text: string, start = 0): number {
  const end = /\r?\n$/.exec(text.slice(Math.max(start, text.length - 2)))?.[0].length ?? 0;
  return text.length - end;
}

/** Reads a file's text from `start` on. Converts line endings to line feeds, and drops one final line ending. */
export function readFileText(text: string, start = 0): string {
  const content = normalizeLineEnds(text.slice(start));
  return content.endsWith("\n") ? content.slice(0, -1) : content;
}

/** Returns file content that reads back as `text`, or undefined if UTF-8 cannot encode it. */
export function toFileContent(text: string): string | undefined {
  return hasLoneSurrogate(text) ? undefined : formatForFile(text, "\n");
}

/** Formats `text` for the end of a file with the given line endings, so that reading it back returns the same text. */
export function formatForFile(text: string, lineEnd: "\n" | "\r\n"): string {
  const lines = normalizeLineEnds(text).replaceAll("\n", lineEnd);
  // A final carriage return would be read as part of the added line ending.
  return lines.endsWith("\r") ? lines : lines + lineEnd;
}
