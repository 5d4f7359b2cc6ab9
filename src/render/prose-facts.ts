import { movedLines } from "./moved-lines.js";
import { count, number } from "./phrases.js";

/** Placeholders that came or went; their names are foreign text. */
interface PlaceholderChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** What to know of a text before it is written, which a diff does not make obvious. */
export interface ProseFacts {
  /** Sentences of ours about what looks like an accident. */
  readonly accidents: readonly string[];
  /** Sentences of ours about lines that stand elsewhere: in the difference they are removed in one place and added in another. */
  readonly moved: readonly string[];
  readonly placeholders?: PlaceholderChange;
}

/** Compares the texts as a whole. `before` is undefined where it is not known; the new text begins at `firstLine`. */
export function proseFacts(before: string | undefined, after: string, firstLine = 1): ProseFacts {
  const accidents = [doubling(before, after)];
  if (before !== undefined) accidents.push(cutOff(before, after), invisible(before, after));
  return {
    accidents: accidents.filter((accident) => accident !== undefined),
    moved: before === undefined ? [] : movedSentences(before, after, firstLine),
    ...placeholderChange(before ?? "", after),
  };
}

const mostMoved = 5;

function movedSentences(before: string, after: string, firstLine: number): string[] {
  const moved = movedLines(before, after);
  const sentences = moved
    .slice(0, mostMoved)
    .map(
      ({ from, to, lines }) =>
        `moved from ${rangeOf(from + firstLine - 1, lines)} to ${rangeOf(to + firstLine - 1, lines)}`,
    );
  const rest = moved.length - mostMoved;
  return rest > 0 ? [...sentences, `moved, too: ${count(rest, "more part")}`] : sentences;
}

function rangeOf(line: number, lines: number): string {
  return lines === 1 ? `line ${number(line)}` : `lines ${number(line)}–${number(line + lines - 1)}`;
}

/** Whether two texts differ in nothing that can be seen, and in what then. */
function invisible(before: string, after: string): string | undefined {
  if (before === after) return undefined;
  const plain = (text: string) => text.replaceAll("\r\n", "\n");
  if (plain(before) === plain(after)) {
    return `only line endings differ: ${lineEnding(before)} before, ${lineEnding(after)} after`;
  }
  if (before.normalize("NFC") === after.normalize("NFC")) {
    return "only the Unicode form differs: the same letters, composed otherwise";
  }
  const bare = (text: string) => text.replace(/[\s\p{Default_Ignorable_Code_Point}]+/gu, "");
  return bare(before) === bare(after) ? "only spaces, line breaks or invisible characters differ" : undefined;
}

function lineEnding(text: string): string {
  const windows = text.split("\r\n").length - 1;
  const all = text.split("\n").length - 1;
  return windows === 0 ? "LF" : windows === all ? "CRLF" : "LF and CRLF mixed";
}

/** A prompt that was pasted into itself is the commonest accident of editing by hand. */
function doubling(before: string | undefined, after: string): string | undefined {
  if (repeatsItself(after) && !(before !== undefined && repeatsItself(before))) {
    return "the second half repeats the first: pasted twice?";
  }
  const times = after.length / (before?.length ?? 0);
  if (before === undefined || before.length < 200 || times < 1.9 || times > 2.1) return undefined;
  return "the text is about twice as long as before: pasted twice?";
}

function repeatsItself(text: string): boolean {
  const trimmed = text.trim();
  const half = Math.floor(trimmed.length / 2);
  // Up to four characters of space between the halves: a blank line, or two with CRLF.
  return [0, 1, 2].some((less) => {
    const length = half - less;
    if (length < 40) return false;
    const between = trimmed.slice(length, trimmed.length - length);
    return between.trim() === "" && trimmed.startsWith(trimmed.slice(-length));
  });
}

function cutOff(before: string, after: string): string | undefined {
  if (after === "" || after.length >= before.length || !before.startsWith(after)) return undefined;
  return "the new text is the old one with its end cut off";
}

/** `${name}` is filled in by the service at session start: one that comes or goes changes what callers must send. */
function placeholderChange(before: string, after: string): { placeholders?: PlaceholderChange } {
  const old = placeholders(before);
  const now = placeholders(after);
  const added = [...now].filter((name) => !old.has(name));
  const removed = [...old].filter((name) => !now.has(name));
  return added.length + removed.length > 0 ? { placeholders: { added, removed } } : {};
}

function placeholders(text: string): Set<string> {
  return new Set(text.match(/\$\{[^{}\s]{1,64}\}/g));
}
