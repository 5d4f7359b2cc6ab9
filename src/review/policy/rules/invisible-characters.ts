import { judgeProse, type Rule } from "../rule.js";

/*
 * Characters that nobody sees come with text copied from a web page or a word processor. They break placeholders and
 * words for the model, turn text around for the reader, or hide instructions. Those that a script or an emoji needs are
 * left alone: joiners in Persian, no-break spaces in French, marks of direction in Hebrew.
 */
export const invisibleCharacters: Rule<"invisible-characters"> = (declaration) =>
  judgeProse(declaration, (text) => {
    const counts = new Map<string, { readonly at: number; readonly end: number; count: number }>();
    for (const { name, start, end } of invisibleIn(text)) {
      const known = counts.get(name);
      if (known) known.count += 1;
      else counts.set(name, { at: start, end, count: 1 });
    }
    return Array.from(counts, ([name, { at, end, count }]) => {
      const message = `has ${name}, which is invisible${count === 1 ? "" : `, ${count} times`}`;
      return { message, hint: "remove it", part: { start: at, end } };
    });
  });

interface Invisible {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const suspicious =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00a0\u00ad\u061c\u180e\u2007\u200b-\u200f\u202a-\u202f\u2060-\u2064\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

function* invisibleIn(text: string): Generator<Invisible> {
  const isTurned = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u.test(text);
  for (const { index, 0: character } of text.matchAll(suspicious)) {
    const end = index + character.length;
    const name = describe(character, text, index, isTurned);
    if (name) yield { name, start: index, end };
  }
  let end = text.length;
  while (end > 0 && " \t".includes(text.charAt(end - 1))) end -= 1;
  if (end > 0 && end < text.length) yield { name: "white space at its end", start: end, end: text.length };
}

/** What the character is called; undefined if it belongs there. `isTurned`: the text has a script written from right to left. */
function describe(character: string, text: string, start: number, isTurned: boolean): string | undefined {
  const end = start + character.length;
  const point = character.codePointAt(0) ?? 0;
  const before = characterBefore(text, start);
  const after = String.fromCodePoint(text.codePointAt(end) ?? 0x0a);
  const code = `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  if (point >= 0xe0000)
    return /[\u{1f3f4}\u{e0020}-\u{e007e}]/u.test(before) ? undefined : `a tag character (${code})`;
  if ("\u00a0\u2007\u202f".includes(character)) {
    // French puts them before a mark, and all languages before a unit: only at the ends of lines they do nothing.
    const isAtEnd = before === "\n" || after === "\n";
    return isAtEnd ? `a no-break space at an end of a line (${code})` : undefined;
  }
  if ("\u200c\u200d".includes(character))
    return isPlain(before) && isPlain(after) ? `a zero-width joiner (${code})` : undefined;
  if (character === "\u200b")
    return isWithoutSpaces(before) || isWithoutSpaces(after) ? undefined : `a zero-width space (${code})`;
  if ("\u202d\u202e".includes(character)) return `a character that turns text around (${code})`;
  if (/[\u061c\u200e\u200f\u202a-\u202c\u2066-\u2069]/.test(character))
    return isTurned ? undefined : `a mark of direction (${code})`;
  if (character === "\u00ad") return `a soft hyphen (${code})`;
  if (character === "\ufeff") return `a byte order mark (${code})`;
  return `a control character (${code})`;
}

function characterBefore(text: string, at: number): string {
  const unit = text.charAt(at - 1);
  const isLow = unit >= "\udc00" && unit <= "\udfff";
  return at === 0 ? "\n" : isLow ? text.slice(at - 2, at) : unit;
}

/** Neither a letter of a script that joins, nor an emoji, nor a mark. */
function isPlain(character: string): boolean {
  return /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\s\x20-\x7e]/u.test(character);
}

function isWithoutSpaces(character: string): boolean {
  return /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Tibetan}]/u.test(
    character,
  );
}
