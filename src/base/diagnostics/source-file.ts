import type { SourceLocation } from "./diagnostic.js";

/** Text of a project file, with its lines and columns. */
export interface SourceFile {
  /** Path relative to the project folder, with `/`. */
  readonly file: string;
  /** Path after following symlinks, relative to the project folder. Identifies the file if it has several names. */
  readonly target: string;
  readonly text: string;
  /** Returns the location of a range of code units, truncated at the end of its first line. */
  locate(start: number, end?: number): SourceLocation;
}

/**
 * Range in a source file. More compact than a {@link SourceLocation}, because thousands are kept in memory and few are
 * shown.
 */
export interface SourceRange {
  readonly source: SourceFile;
  readonly start: number;
  readonly end: number;
  /** Range owner, such as `construct a/b`. Appended to the message. */
  readonly owner?: string;
}

/** Wraps a file's text. Computes its line starts once, on the first lookup. */
export function openSourceFile(file: string, text: string, target = file): SourceFile {
  let starts: number[] | undefined;
  return {
    file,
    target,
    text,
    locate(start, end = start + 1) {
      starts ??= findLineStarts(text);
      const at = Math.min(Math.max(start, 0), text.length);
      const line = findLine(starts, at);
      const lineStart = starts[line] ?? 0;
      const lineEnd = findLineEnd(text, starts[line + 1]);
      const length = Math.max(1, Math.min(end - at, lineEnd - at));
      const column = at - lineStart + 1;
      if (lineEnd - lineStart <= maxLineLength)
        return { file, line: line + 1, column, length, text: text.slice(lineStart, lineEnd) };
      // Without this limit, a very long line would be printed in full for each of its problems.
      const from = Math.max(lineStart, at - maxLineLength / 4);
      const shown = text.slice(from, Math.min(lineEnd, from + maxLineLength));
      const cut = Math.max(1, Math.min(length, from + shown.length - at));
      return { file, line: line + 1, column, length: cut, text: shown, textColumn: from - lineStart + 1 };
    },
  };
}

/** Maximum length of the shown part of a line, in code units. */
const maxLineLength = 2000;

/** Returns the offset of a line's end, before its line break. `next` is the start of the next line. */
function findLineEnd(text: string, next: number | undefined): number {
  if (next === undefined) return text.length;
  return text.charAt(next - 2) === "\r" ? next - 2 : next - 1;
}

export function toLocation(range: SourceRange): SourceLocation {
  return range.source.locate(range.start, range.end);
}

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Returns the index of the last line that starts at or before `offset`, using binary search. */
function findLine(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
