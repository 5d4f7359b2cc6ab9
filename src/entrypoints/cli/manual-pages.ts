import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { packageFolder } from "../../base/version/index.js";

/* This version's documentation pages. They are in the package or executable, so they work offline. */

const folder = path.join(packageFolder, "docs");

/**
 * Lists page names, sorted. Returns an empty list if the pages were removed from the package, because help works
 * without them.
 */
export function listPages(): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md") && name !== "README.md" && name !== "index.md")
    .map((name) => name.slice(0, -".md".length))
    .sort();
}

/** Reads a page without its comments. */
export function readPage(name: string): string {
  return readFileSync(path.join(folder, `${name}.md`), "utf8").replace(/<!--[^<>]*-->\n+/g, "");
}
