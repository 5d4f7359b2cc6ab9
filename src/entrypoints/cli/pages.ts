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

/** A page as it is written, without comments. */
export function readPage(name: string): string {
  return readFileSync(path.join(folder, `${name}.md`), "utf8").replace(/<!--[^<>]*-->\n+/g, "");
}
