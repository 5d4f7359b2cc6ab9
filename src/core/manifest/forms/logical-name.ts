import { logicalNamePattern } from "./form.js";

/**
 * Whether an object may be declared under this name: letters of every script, digits, `-` and `_`. Composed
 * (NFC), because names that look the same must be equal in the files of one machine and the state of another;
 * and without invisible characters.
 */
export function isLogicalName(key: string): boolean {
  return logicalNamePattern.test(key) && key === key.normalize("NFC") && !/\p{DI}/u.test(key);
}

/** The name in the form in which file systems that ignore case and composition compare it. */
export function foldedName(name: string): string {
  return name.normalize("NFKC").toUpperCase().normalize("NFKC");
}

/** Whether Windows reserves file names with this part before the first dot for devices. */
export function isReservedName(name: string): boolean {
  return reservedNames.test(name.replace(/\..*$/s, ""));
}

/**
 * Makes logical names from labels: `mueller-soehne-support` for "Müller & Söhne – Support", `客服` for "客服". No
 * name is used twice, and none from `taken`, both in the form of {@link foldedName}, because names become
 * file names.
 */
export function logicalNames(taken: Iterable<string> = []): (label: string) => string {
  const folded = new Set(Array.from(taken, foldedName));
  // The last number used for each stem: counting from 2 again would take quadratic time if thousands share a
  // name.
  const numbers = new Map<string, number>();
  return (label) => {
    const stem = toStem(label);
    let number = numbers.get(stem) ?? 1;
    // Never uses names that Windows reserves for devices.
    let name = number > 1 || isReservedName(stem) ? `${stem}-${number}` : stem;
    while (folded.has(foldedName(name))) name = `${stem}-${++number}`;
    numbers.set(stem, number);
    folded.add(foldedName(name));
    return name;
  };
}

/**
 * The name for a label, before it is made unique. Latin letters lose their accents, so that every keyboard
 * can type them; in other scripts marks are part of the word and stay.
 */
function toStem(label: string): string {
  const spelled = label
    .normalize("NFC")
    .replace(/[äöüßæœøåđłþ]/giu, (letter) => latin[letter.toLowerCase()] ?? letter)
    .replace(/\p{Script=Latin}\p{M}*/gu, (letter) => letter.normalize("NFKD").replace(/\p{M}/gu, ""))
    // Full-width, superscript and ligature forms become plain letters; Thai and Lao are left alone, because
    // this would damage them.
    .replace(/[^\u0e33\u0eb3\p{M}]/gu, (letter) => letter.normalize("NFKC"))
    .toLowerCase()
    .normalize("NFC");
  const plain = spelled
    .replace(/\p{DI}/gu, "")
    .replace(/[^\p{L}\p{M}\p{Nd}]+/gu, "-")
    .replace(/(^|-)\p{M}+/gu, "$1")
    .replace(/(\p{M}{8})\p{M}+/gu, "$1");
  const stem = cut(plain.normalize("NFC"))
    .replace(/^-+/, "")
    .replace(/(?<!-)-+$/, "");
  return stem === "" ? "unnamed" : stem;
}

/** The start of a long name, so that file names derived from it fit too. Never cuts a letter in two. */
function cut(name: string): string {
  if (name.length <= 40) return name;
  let [kept, bytes] = ["", 0];
  for (const { segment, index } of new Intl.Segmenter("en").segment(name.slice(0, 400))) {
    bytes += Buffer.byteLength(segment);
    if (bytes > 120 || index >= 60) break;
    kept += segment;
  }
  return kept;
}

/** Letters that are spelled out instead of losing their accents. */
const latin: Readonly<Record<string, string>> = {
  ä: "ae",
  ö: "oe",
  ü: "ue",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  å: "a",
  đ: "d",
  ł: "l",
  þ: "th",
};

const reservedNames = /^(con|prn|aux|nul|com\d|lpt\d)$/i;
