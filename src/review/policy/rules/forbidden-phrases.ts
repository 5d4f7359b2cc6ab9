import { listTexts, type Rule, type Violation } from "../rule.js";
import { isUnspaced } from "./unspaced-scripts.js";

export const forbiddenPhrases: Rule<"forbidden-phrases"> = (declaration, { phrases, fields }) => {
  const wanted = phrases.map(parsePhrase);
  return listTexts(declaration)
    .filter(({ field, path }) => !fields || fields.includes(field) || fields.includes(String(path[0])))
    .flatMap(({ path, text }) => {
      const read = fold(text);
      return wanted.flatMap((phrase) =>
        findPlaces(phrase, read).map((part): Violation => {
          return { path, message: `has the forbidden phrase ${JSON.stringify(phrase.written)}`, part };
        }),
      );
    });
};

/*
 * Texts are compared as a reader sees them: ignoring case, the kind of white space, Unicode composition, and invisible characters, which
 * would otherwise hide a phrase. Phrases never become regular expressions, which could take long.
 */
interface Folded {
  readonly text: string;
  /** Start and end of each code unit's character in the original text. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

interface Phrase {
  readonly written: string;
  readonly folded: string;
  /** The phrase has `*` at this end, which matches the rest of the word. */
  readonly isOpenBefore: boolean;
  readonly isOpenBehind: boolean;
}

function parsePhrase(written: string): Phrase {
  const { text } = fold(written.trim());
  const isOpenBefore = text.startsWith("*");
  const isOpenBehind = text.length > 1 && text.endsWith("*");
  const phrase = text.slice(isOpenBefore ? 1 : 0, isOpenBehind ? -1 : undefined).trim();
  return { written, folded: phrase, isOpenBefore, isOpenBehind };
}

function fold(written: string): Folded {
  let text = "";
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { index, 0: character } of written.matchAll(/\P{M}\p{M}*|\p{M}+/gu)) {
    const visible = character.replace(/\p{DI}/gu, "");
    const shown = /^\s/.test(visible) ? " " : visible.normalize("NFC").toLowerCase();
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

function findPlaces(phrase: Phrase, { text, starts, ends }: Folded): { start: number; end: number }[] {
  const { folded: wanted } = phrase;
  const found: { start: number; end: number }[] = [];
  if (wanted === "") return found;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    const isWhole =
      (phrase.isOpenBefore || !continues(text, at)) && (phrase.isOpenBehind || !continues(text, end));
    if (isWhole) found.push({ start: starts[at] ?? 0, end: ends[end - 1] ?? 0 });
  }
  return found;
}

/** Whether a word continues across this position. */
function continues(text: string, at: number): boolean {
  const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? "";
  const [behind = ""] = text.slice(at, at + 2);
  return isInWord(before) && isInWord(behind);
}

/** In scripts without spaces, each character counts as a word. */
function isInWord(character: string): boolean {
  return /[\p{L}\p{M}\p{N}_]/u.test(character) && !isUnspaced(character);
}
