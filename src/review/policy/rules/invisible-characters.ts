import { judgeProse, type Rule } from "../rule.js";
import { isUnspaced } from "./unspaced-scripts.js";

/*
 * Invisible characters are often copied from web pages and word processors. They break placeholders and words for the
 * model, reorder text for the reader, or hide instructions. Characters that a script or an emoji needs are allowed,
 * such as joiners in Persian, no-break spaces in French and direction marks in Hebrew.
 */
export const findInvisibleCharacters: Rule<"invisible-characters"> = (declaration) =>
  judgeProse(declaration, (text) => {
    const found = findInvisible(text);
    return [...new Set(found.map(({ name }) => name))].map((name) => {
      const [first, ...others] = found.filter((one) => one.name === name);
      const times = others.length === 0 ? "" : `, ${others.length + 1} times`;
      return {
        message: `contains ${name}${times}`,
        hint: name.startsWith("U+FFFD") ? "type the character again" : "remove it",
        part: first,
      };
    });
  });

interface Invisible {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const suspicious =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00a0\u00ad\u061c\u180e\u2007\u200b-\u200f\u202a-\u202f\u2060-\u2064\u2066-\u2069\ufeff\ufffd]|[\u{e0000}-\u{e007f}]/gu;

function findInvisible(text: string): Invisible[] {
  const isRightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u.test(text);
  const found = Array.from(text.matchAll(suspicious)).flatMap(({ index: start, 0: character }) => {
    if (isLegitimate(character, text, start, isRightToLeft)) return [];
    const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
    const name =
      character === "\ufffd"
        ? "U+FFFD, which replaces a character lost to a wrong encoding"
        : `the invisible character U+${code}`;
    return [{ name, start, end: start + character.length }];
  });
  // Final line ends are common and harmless.
  const padding = text.slice(text.trimEnd().length).replace(/^\n+/, "");
  const start = text.length - padding.length;
  const isPadded = start > 0 && padding !== "";
  return isPadded ? [...found, { name: "trailing white space", start, end: text.length }] : found;
}

/** Returns whether a script or an emoji needs the character at this position. */
function isLegitimate(character: string, text: string, start: number, isRightToLeft: boolean): boolean {
  const before = Array.from(text.slice(Math.max(0, start - 2), start)).at(-1) ?? "\n";
  const after = String.fromCodePoint(text.codePointAt(start + character.length) ?? 0x0a);
  if (character.length > 1) return /[\u{1f3f4}\u{e0020}-\u{e007e}]/u.test(before);
  // French uses no-break spaces before punctuation, and all languages before units. They are useless only next to line
  // breaks.
  if ("\u00a0\u2007\u202f".includes(character)) return before !== "\n" && after !== "\n";
  if ("\u200c\u200d".includes(character)) return !isPlain(before) || !isPlain(after);
  if (character === "\u200b") return isUnspaced(before) || isUnspaced(after);
  return isRightToLeft && /[\u061c\u200e\u200f\u202a-\u202c\u2066-\u2069]/.test(character);
}

/** Returns whether a character never needs a joiner, unlike emoji, marks and letters of joining scripts. */
function isPlain(character: string): boolean {
  return /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\s\x20-\x7e]/u.test(character);
}
