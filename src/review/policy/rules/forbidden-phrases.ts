import { listTexts, type Rule, type Violation } from "../rule.js";
import { isUnspaced } from "./unspaced-scripts.js";

export const findForbiddenPhrases: Rule<"forbidden-phrases"> = (declaration, { phrases, fields }) => {
  const forbidden = phrases.map(parsePhrase);
  return listTexts(declaration)
    .filter(({ field, path }) => !fields || fields.includes(field) || fields.includes(String(path[0])))
    .flatMap(({ path, text }) => {
      const folded = fold(text);
      return forbidden.flatMap((phrase) =>
        findOccurrences(phrase, folded).map((part): Violation => {
          return { path, message: `contains the forbidden phrase ${JSON.stringify(phrase.written)}`, part };
        }),
      );
    });
};

/*
 * Texts are compared as a reader sees them, ignoring case, kinds of white space, Unicode composition, and invisible
 * characters, which could otherwise hide a phrase. Phrases are never used as regular expressions, which could be slow.
 */
interface FoldedText {
  readonly text: string;
  /** Start and end, in the original text, of the character that each code unit belongs to. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

interface Phrase {
  readonly written: string;
  readonly folded: string;
  /** Whether the phrase starts with `*`, which matches the beginning of a word. */
  readonly isOpenBefore: boolean;
  /** Whether the phrase ends with `*`, which matches the rest of a word. */
  readonly isOpenAfter: boolean;
}

function parsePhrase(written: string): Phrase {
  const { text } = fold(written.trim());
  const isOpenBefore = text.startsWith("*");
  const isOpenAfter = text.length > 1 && text.endsWith("*");
  const phrase = text.slice(isOpenBefore ? 1 : 0, isOpenAfter ? -1 : undefined).trim();
  return { written, folded: phrase, isOpenBefore, isOpenAfter };
}

function fold(original: string): FoldedText {
  let text = "";
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { index, 0: character } of original.matchAll(/\P{M}\p{M}*|\p{M}+/gu)) {
    const visible = character.replace(/\p{DI}/gu, "");
    const shown = /^\s/.test(visible) ? " " : foldCase(visible);
    const end = index + character.length;
    if (shown === " " && text.endsWith(" ")) ends[ends.length - 1] = end;
    else {
      text += shown;
      for (let i = 0; i < shown.length; i++) {
        starts.push(index);
        ends.push(end);
      }
    }
  }
  return { text, starts, ends };
}

/** Returns the same text for a character in any case, such as `ss` for `ß`, `ẞ` and `SS`, or `σ` for `ς`. */
function foldCase(character: string): string {
  return character.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
}

function findOccurrences(
  phrase: Phrase,
  { text, starts, ends }: FoldedText,
): { start: number; end: number }[] {
  const { folded } = phrase;
  const found: { start: number; end: number }[] = [];
  if (folded === "") return found;
  for (let at = text.indexOf(folded); at !== -1; at = text.indexOf(folded, at + 1)) {
    const end = at + folded.length;
    const isWhole =
      (phrase.isOpenBefore || !isInsideWord(text, at)) && (phrase.isOpenAfter || !isInsideWord(text, end));
    if (isWhole) found.push({ start: starts[at] ?? 0, end: ends[end - 1] ?? 0 });
  }
  return found;
}

/** Returns whether both sides of this position belong to the same word. */
function isInsideWord(text: string, at: number): boolean {
  const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? "";
  const [after = ""] = text.slice(at, at + 2);
  return isWordCharacter(before) && isWordCharacter(after);
}

/**
 * Returns whether a character belongs to a word. False for scripts without spaces, where each character counts as a
 * word.
 */
function isWordCharacter(character: string): boolean {
  return /[\p{L}\p{M}\p{N}_]/u.test(character) && !isUnspaced(character);
}
