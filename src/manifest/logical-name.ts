import { logicalNamePattern } from "./form.js";

/**
 * Whether an object may be declared under this name: letters of every script, digits, `-` and `_`. Composed (NFC), since what
 * looks the same must be the same in the files of one machine and the state of another; and nothing that cannot be seen.
 */
export function isLogicalName(key: string): boolean {
  return logicalNamePattern.test(key) && key === key.normalize("NFC") && !/\p{DI}/u.test(key);
}

/** The name as file systems compare it that take no notice of case, or of how letters are composed. */
export function foldedName(name: string): string {
  return name.normalize("NFKC").toUpperCase().normalize("NFKC");
}

/** Whether Windows keeps files of this name, whatever follows its first dot, for devices. */
export function isReservedName(name: string): boolean {
  return reservedNames.test(name.replace(/\..*$/s, ""));
}

/**
 * Gives logical names to objects by what people call them: `mueller-soehne-support` for "Müller & Söhne – Support",
 * `客服` for "客服". No name is given twice, and none of `taken`, as {@link foldedName} has them, since names become file
 * names.
 */
export function logicalNames(taken: Iterable<string> = []): (label: string) => string {
  const folded = new Set(Array.from(taken, foldedName));
  // The last number each stem was given: counting from 2 again takes quadratic time where thousands share a name.
  const numbers = new Map<string, number>();
  return (label) => {
    const stem = stemOf(label);
    let number = numbers.get(stem) ?? 1;
    // File names that Windows keeps for devices are never given by themselves.
    let name = number > 1 || isReservedName(stem) ? `${stem}-${number}` : stem;
    while (folded.has(foldedName(name))) name = `${stem}-${++number}`;
    numbers.set(stem, number);
    folded.add(foldedName(name));
    return name;
  };
}

/**
 * What the letters of a label make of it, before it is told from other names. Latin letters lose their marks, so that they
 * can be typed everywhere; in other scripts marks are part of the word, and stay.
 */
function stemOf(label: string): string {
  const spelled = label
    .normalize("NFC")
    .replace(/[äöüßæœøåđłþ]/giu, (letter) => latin[letter.toLowerCase()] ?? letter)
    .replace(/\p{Script=Latin}\p{M}*/gu, (letter) => letter.normalize("NFKD").replace(/\p{M}/gu, ""))
    // Wide, raised and joined forms are other spellings of the same letters; only to Thai and Lao it would do harm.
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

/** The beginning of a long name, so that the name of a file that is written beside its own fits, too. No letter is cut. */
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

/** Letters that are spelled out rather than stripped of their marks. */
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

/** File names that Windows keeps for devices. */
const reservedNames = /^(con|prn|aux|nul|com\d|lpt\d)$/i;
