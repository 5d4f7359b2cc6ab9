import { placeholder } from "./words.js";

/** Facts about a new text that a diff does not make obvious. */
export interface ProseFacts {
  /** Our sentences about probable accidents. */
  readonly accidents: readonly string[];
  /**
   * Those that were added or removed; foreign text. The service fills in `${name}` at session start: they change what callers
   * must send.
   */
  readonly placeholders: Readonly<Record<"added" | "removed", readonly string[]>>;
}

/** Compares whole texts. `before` is undefined if unknown. */
export function proseFacts(before: string | undefined, after: string): ProseFacts {
  const compared = before === undefined ? [] : [cutOff(before, after), invisible(before, after)];
  return {
    accidents: [doubling(before, after), ...compared].filter((accident) => accident !== undefined),
    placeholders: {
      added: missingIn(before ?? "", after),
      removed: missingIn(after, before ?? ""),
    },
  };
}

/** Whether two texts differ only invisibly, and in what. */
function invisible(before: string, after: string): string | undefined {
  if (before === after) return undefined;
  if (before.normalize("NFC") === after.normalize("NFC")) {
    return "only the Unicode normalization differs: the same letters, composed differently";
  }
  return looksAlike(before, after) ? "only spaces, line breaks or invisible characters differ" : undefined;
}

/** Ends at the first difference, and copies nothing. */
function looksAlike(before: string, after: string): boolean {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const visible = (text: string) => text.slice(same).matchAll(/[^\s\p{Default_Ignorable_Code_Point}]/gu);
  const rest = visible(after);
  for (const [character] of visible(before)) if (rest.next().value?.[0] !== character) return false;
  return rest.next().done === true;
}

/** A prompt pasted into itself is the most common accident of manual edits. */
function doubling(before = "", after: string): string | undefined {
  const isNew = repeatsItself(after) && !repeatsItself(before);
  return isNew ? "the second half repeats the first: pasted twice?" : undefined;
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

/** The placeholders of a text that another one does not have. */
function missingIn(other: string, text: string): string[] {
  const known = placeholders(other);
  return [...placeholders(text)].filter((name) => !known.has(name));
}

function placeholders(text: string): Set<string> {
  return new Set(text.match(new RegExp(placeholder, "g")));
}
