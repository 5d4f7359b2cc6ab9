import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Help } from "commander";
import { packageFolder } from "../../base/version/index.js";

/*
 * The pages of the documentation, as they are in the package and in the executable: those of this very version, without a
 * network.
 */

const layout = Object.assign(new Help(), { minWidthToWrap: 1 });
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
  let paragraph = "";
  let isCode = false;
  const endParagraph = () => {
    const [start = ""] = /^\s*(?:[-*] |\d+\. )?/.exec(paragraph) ?? [];
    const lines = layout.boxWrap(paragraph, columns - start.length).split("\n");
    if (paragraph !== "") shown.push(lines.join(`\n${" ".repeat(start.length)}`));
    paragraph = "";
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
    if (/^\s*(?:[-*]|\d+\.) /.test(line)) endParagraph();
    paragraph = paragraph === "" ? line : `${paragraph} ${line.trim()}`;
  }
  endParagraph();
  return shown.join("\n");
}
