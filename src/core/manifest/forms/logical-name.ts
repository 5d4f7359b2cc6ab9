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
 * Makes logical names from labels: `muller-sohne-support` for "Müller & Söhne – Support", `客服` for "客服". No
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
 * The name for a label, before it is made unique: the start of a long one, so that file names derived from it fit too. Latin
 * letters lose their accents, so that every keyboard can type them; in other scripts marks are part of the word and stay.
 */
function toStem(label: string): string {
  const plain = label
    .slice(0, 400)
    .normalize("NFC")
    .replace(/\p{Script=Latin}\p{M}*/gu, (letter) => letter.normalize("NFKD").replace(/\p{M}/gu, ""))
    // Full-width, superscript and ligature forms become plain letters; Thai and Lao are left alone, because
    // this would damage them.
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
