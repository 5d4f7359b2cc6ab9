import { placeholder } from "./words.js";

/** Facts about a new text that a diff does not make obvious. */
export interface ProseFacts {
  /** Likely mistakes, as clauses. */
  readonly accidents: readonly string[];
  /** Added and removed `${name}` placeholders, whose values callers must pass when a session starts. Contains untrusted text. */
  readonly placeholders: Readonly<Record<"added" | "removed", readonly string[]>>;
}

/** Finds facts about a new text by comparing it with the old one. `before` is undefined if unknown. */
export function findProseFacts(before: string | undefined, after: string): ProseFacts {
  const compared =
    before === undefined ? [] : [findTruncation(before, after), findInvisibleChange(before, after)];
  return {
    accidents: [findDoubling(before, after), ...compared].filter((accident) => accident !== undefined),
    placeholders: {
      added: listMissing(before ?? "", after),
      removed: listMissing(after, before ?? ""),
    },
  };
}

/** Describes the difference if it is invisible. */
function findInvisibleChange(before: string, after: string): string | undefined {
  if (before === after) return undefined;
  if (before.normalize("NFC") === after.normalize("NFC")) {
    return "only the Unicode normalization differs: the same letters, composed differently";
  }
  return areAlike(before, after) ? "only spaces, line breaks or invisible characters differ" : undefined;
}

/** Returns whether two texts have the same visible characters. Stops at the first difference, without copying. */
function areAlike(before: string, after: string): boolean {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const listVisible = (text: string) => text.slice(same).matchAll(/[^\s\p{Default_Ignorable_Code_Point}]/gu);
  const rest = listVisible(after);
  for (const [character] of listVisible(before)) if (rest.next().value?.[0] !== character) return false;
  return rest.next().done === true;
}

/** Detects a prompt pasted into itself, the most common mistake in manual edits. */
function findDoubling(before = "", after: string): string | undefined {
  const isNew = doesRepeatItself(after) && !doesRepeatItself(before);
  return isNew ? "the second half repeats the first: pasted twice?" : undefined;
}

function doesRepeatItself(text: string): boolean {
  const trimmed = text.trim();
  const half = Math.floor(trimmed.length / 2);
  // Allows up to four characters of space between the halves, enough for a blank line with CRLF line endings.
  return [0, 1, 2].some((less) => {
    const length = half - less;
    if (length < 40) return false;
    const between = trimmed.slice(length, trimmed.length - length);
    return between.trim() === "" && trimmed.startsWith(trimmed.slice(-length));
  });
}

function findTruncation(before: string, after: string): string | undefined {
  if (after === "" || after.length >= before.length || !before.startsWith(after)) return undefined;
  return "the new text is the old text with its end cut off";
}

/** Returns the placeholders in `text` that `other` lacks. */
function listMissing(other: string, text: string): string[] {
  const known = findPlaceholders(other);
  return [...findPlaceholders(text)].filter((name) => !known.has(name));
}

function findPlaceholders(text: string): Set<string> {
  return new Set(text.match(new RegExp(placeholder, "g")));
}
