import { logicalNamePattern } from "./form.js";

/** Whether an object may be declared under this name. */
export function isLogicalName(key: string): boolean {
  return logicalNamePattern.test(key);
}

/**
 * Gives logical names to objects by what people call them: `mueller-soehne-support` for "Müller & Söhne – Support". No
 * name is given twice, and none of `taken`, whatever their case, since names become file names and some file systems fold
 * case.
 */
export function logicalNames(taken: Iterable<string> = []): (label: string) => string {
  const folded = new Set(Array.from(taken, (name) => name.toLowerCase()));
  // The last number each stem was given: counting from 2 again takes quadratic time where thousands share a name.
  const numbers = new Map<string, number>();
  return (label) => {
    const stem = stemOf(label);
    let number = numbers.get(stem) ?? 1;
    // File names that Windows keeps for devices are never given by themselves.
    let name = number > 1 || reservedNames.test(stem) ? `${stem}-${number}` : stem;
    while (folded.has(name)) name = `${stem}-${++number}`;
    numbers.set(stem, number);
    folded.add(name);
    return name;
  };
}

/** What the letters of a label make of it, before it is told from other names. */
function stemOf(label: string): string {
  const spelled = label.replace(/[äöüßæœøåđłþ]/giu, (letter) => latin[letter.toLowerCase()] ?? letter);
  const plain = spelled
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-|-$/g, "");
  return plain === "" ? "unnamed" : plain;
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
const reservedNames = /^(con|prn|aux|nul|com\d|lpt\d)$/;
