import { logicalNamePattern } from "./form.js";

/** Whether an object may be declared under this name. */
export function isLogicalName(key: string): boolean {
  return logicalNamePattern.test(key);
}

/**
 * A logical name for an object people call `label`: `mueller-soehne-support` for "Müller & Söhne – Support". Names in
 * `taken` are avoided whatever their case, since names become file names and some file systems fold case; the new one is
 * added to it.
 */
export function logicalName(label: string, taken: Set<string>): string {
  const spelled = label.replace(/[äöüßæœøåđłþ]/giu, (letter) => latin[letter.toLowerCase()] ?? letter);
  const plain = spelled
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-+|-+$/g, "");
  const stem = plain === "" ? "unnamed" : plain;
  const folded = new Set(Array.from(taken, (name) => name.toLowerCase()));
  let name = reservedNames.test(stem) ? `${stem}-1` : stem;
  for (let i = 2; folded.has(name); i++) name = `${stem}-${i}`;
  taken.add(name);
  return name;
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
