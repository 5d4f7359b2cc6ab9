import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { packageFolder } from "../../base/version/index.js";

/*
 * The pages of the documentation, as they are in the package and in the executable: those of this very version, without a
 * network.
 */

const folder = path.join(packageFolder, "docs");

/** The names of all pages, in order; none where somebody has taken them out of the package, as the help is there all the same. */
export function pageNames(): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md") && name !== "README.md" && name !== "index.md")
    .map((name) => name.slice(0, -".md".length))
    .sort();
}

/** A page for a terminal, or a pipe, of so many columns: the text as written, with its paragraphs wrapped. */
export function readPage(name: string, columns: number): string {
  const text = readFileSync(path.join(folder, `${name}.md`), "utf8").replace(/<!--[^<>]*-->\n+/g, "");
  const shown: string[] = [];
  let words: string[] = [];
  let indent = "";
  let isCode = false;
  const endParagraph = () => {
    if (words.length > 0) shown.push(...wrapped(words, columns, indent));
    words = [];
  };
  for (const line of text.split("\n")) {
    const isFence = /^\s*```/.test(line);
    // Tables and headings stay as they are, too: a line of them has no place to break.
    if (isFence || isCode || /^\s*(?:$|[#|])/.test(line)) {
      endParagraph();
      shown.push(line);
      if (isFence) isCode = !isCode;
      continue;
    }
    const [start = ""] = /^\s*(?:[-*] |\d+\. )?/.exec(line) ?? [];
    if (start.trim() !== "") endParagraph();
    if (words.length === 0) indent = " ".repeat(start.length);
    words.push(...(words.length === 0 ? [start + line.slice(start.length)] : [line.trim()]));
  }
  endParagraph();
  return shown.join("\n");
}

function wrapped(written: readonly string[], columns: number, indent: string): string[] {
  const [, start = "", text = ""] = /^(\s*(?:[-*] |\d+\. )?)([\s\S]*)$/.exec(written.join(" ")) ?? [];
  const lines: string[] = [];
  let line = start;
  for (const word of text.split(/\s+/)) {
    const isFirst = line === start || line === indent;
    if (!isFirst && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = indent + word;
    } else line += isFirst ? word : ` ${word}`;
  }
  return [...lines, line];
}
