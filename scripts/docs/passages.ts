import { readdirSync, readFileSync } from "node:fs";

/** A fenced block of a page. */
export interface Passage {
  /** The file, from the root of the repository. */
  readonly page: string;
  /** The heading above it, of the second level; empty above the first. */
  readonly section: string;
  readonly language: string;
  readonly text: string;
}

/** The README and the pages beside it for users of the command, CDKTF and the library. */
const pages = [
  "README.md",
  ...readdirSync("docs")
    .filter((file) => file.endsWith(".md") && file !== "index.md")
    .map((file) => `docs/${file}`),
];

/** All fenced blocks of the pages, in their order. */
export const passages: readonly Passage[] = pages.flatMap((page) =>
  readFileSync(page, "utf8")
    .split(/^## /m)
    .flatMap((part, at) => {
      const section = at === 0 ? "" : (part.split("\n", 1)[0] ?? "");
      const fences = part.matchAll(/^```(\w+)\n(.*?)^```$/gms);
      return Array.from(fences, ([, language = "", text = ""]) => ({ page, section, language, text }));
    }),
);

/** The texts of a page's blocks in one language; of one section alone, if it is given. */
export function passagesOf(page: string, language: string, section?: string): string[] {
  return passages
    .filter((passage) => passage.page === page && passage.language === language)
    .filter((passage) => section === undefined || passage.section === section)
    .map(({ text }) => text);
}

/** What a page's prose says in backquotes, by how it begins. */
export function inlineOf(page: string, beginning: string): string {
  const prose = readFileSync(page, "utf8").replace(/^```.*?^```$/gms, "");
  const found = Array.from(prose.matchAll(/`([^`]+)`/g), ([, text = ""]) => text);
  const inline = found.find((text) => text.startsWith(beginning));
  if (inline === undefined) throw new Error(`${page} has no \`${beginning}…\`.`);
  return inline.replace(/\s+/g, " ");
}
