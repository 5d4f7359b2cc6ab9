import { readdirSync, readFileSync } from "node:fs";

/** Fenced block on a page. */
export interface Passage {
  /** Path relative to the repository root. */
  readonly page: string;
  /** Second-level heading above the block, or empty. */
  readonly section: string;
  readonly language: string;
  readonly text: string;
}

/** README and pages for users of the command, CDKTF and the library. */
const pages = [
  "README.md",
  ...readdirSync("docs")
    .filter((file) => file.endsWith(".md") && file !== "index.md")
    .map((file) => `docs/${file}`),
];

/** All fenced blocks on the pages, in order. */
export const passages: readonly Passage[] = pages.flatMap((page) =>
  readFileSync(page, "utf8")
    .split(/^## /m)
    .flatMap((part, at) => {
      const section = at === 0 ? "" : (part.split("\n", 1)[0] ?? "");
      const fences = part.matchAll(/^```(\w+)\n(.*?)^```$/gms);
      return Array.from(fences, ([, language = "", text = ""]) => ({ page, section, language, text }));
    }),
);

/** Returns the code blocks of a page in one language, optionally from one section only. */
export function findPassages(page: string, language: string, section?: string): string[] {
  return passages
    .filter((passage) => passage.page === page && passage.language === language)
    .filter((passage) => section === undefined || passage.section === section)
    .map(({ text }) => text);
}

/** Returns the first inline code in a page's prose that starts with the given text. */
export function findInline(page: string, beginning: string): string {
  const prose = readFileSync(page, "utf8").replace(/^```.*?^```$/gms, "");
  const found = Array.from(prose.matchAll(/`([^`]+)`/g), ([, text = ""]) => text);
  const inline = found.find((text) => text.startsWith(beginning));
  if (inline === undefined) throw new Error(`${page} has no \`${beginning}…\`.`);
  return inline.replace(/\s+/g, " ");
}
