import { logicalNamePattern } from "./form.js";

/**
 * Returns whether a name has only letters of any script, digits, `-` and `_`. It must be composed (NFC) and have no
 * invisible characters, because names that look the same must be equal on every machine.
 */
export function isLogicalName(key: string): boolean {
  return logicalNamePattern.test(key) && key === key.normalize("NFC") && !/\p{DI}/u.test(key);
}

/** Folds a name like a file system that ignores case and Unicode composition. */
export function foldName(name: string): string {
  return name.normalize("NFKC").toUpperCase().normalize("NFKC");
}

/** Returns whether Windows reserves the part before the first dot for devices. */
export function isReservedName(name: string): boolean {
  return reservedNames.test(name.replace(/\..*$/s, ""));
}

/**
 * Derives logical names from labels, such as `muller-sohne-support` from "Müller & Söhne – Support", or `客服` from "客服".
 * Generated names differ from each other and from `taken` after {@link foldName}, because they become file names.
 */
export function createNameGenerator(taken: Iterable<string> = []): (label: string) => string {
  const folded = new Set(Array.from(taken, foldName));
  // Last number used for each stem. Starting at 2 every time would take quadratic time for thousands of equal labels.
  const numbers = new Map<string, number>();
  return (label) => {
    const stem = toStem(label);
    let number = numbers.get(stem) ?? 1;
    let name = number > 1 || isReservedName(stem) ? `${stem}-${number}` : stem;
    while (folded.has(foldName(name))) name = `${stem}-${++number}`;
    numbers.set(stem, number);
    folded.add(foldName(name));
    return name;
  };
}

/**
 * Derives a name from a label, short enough for a file name. Removes accents from Latin letters only, because marks in
 * other scripts are part of the word.
 */
function toStem(label: string): string {
  const plain = label
    .slice(0, 400)
    .normalize("NFC")
    .replace(/\p{Script=Latin}\p{M}*/gu, (letter) => letter.normalize("NFKD").replace(/\p{M}/gu, ""))
    // Converts full-width, superscript and ligature forms to plain letters. Skips the Thai and Lao vowel sign AM, which
    // the conversion would split in two.
    .replace(/[^\u0e33\u0eb3\p{M}]/gu, (letter) => letter.normalize("NFKC"))
    .toLowerCase()
    .replace(/\p{DI}/gu, "")
    .replace(/[^\p{L}\p{M}\p{Nd}]+/gu, "-")
    .replace(/(^|-)\p{M}+/gu, "$1")
    .normalize("NFC");
  const stem = [...plain.replace(/^-+/, "")].slice(0, 40).join("");
  return stem.replace(/(?<!-)-+$/, "") || "unnamed";
}

const reservedNames = /^(con|prn|aux|nul|com\d|lpt\d)$/i;
