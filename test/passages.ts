import { readFileSync } from "node:fs";

/** A fenced block of the README. */
export interface Passage {
  /** The heading above it; empty above the first. */
  readonly section: string;
  readonly language: string;
  readonly text: string;
}

const readme = readFileSync("README.md", "utf8");

/** All fenced blocks of the README, in their order. */
export const passages: readonly Passage[] = readme.split(/^## /m).flatMap((part, at) => {
  const section = at === 0 ? "" : (part.split("\n", 1)[0] ?? "");
  const fences = part.matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return Array.from(fences, ([, language = "", text = ""]) => ({ section, language, text }));
});

/** The texts of a section's blocks in one language. */
export function passagesOf(section: string, language: string): string[] {
  const found = passages.filter((one) => one.section === section && one.language === language);
  return found.map(({ text }) => text);
}

/** What a line of prose says in backquotes, by how it begins. */
export function inlineOf(beginning: string): string {
  const found = Array.from(
    readme.replace(/^```.*?^```$/gms, "").matchAll(/`([^`]+)`/g),
    ([, text = ""]) => text,
  );
  const one = found.find((text) => text.startsWith(beginning));
  if (one === undefined) throw new Error(`The README has no \`${beginning}…\`.`);
  return one.replace(/\s+/g, " ");
}
