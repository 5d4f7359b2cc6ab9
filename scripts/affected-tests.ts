import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** Entry files of the workspace packages that other code imports by name. */
const packages = new Map([["@avatarops/terraform-plugin", "packages/terraform-plugin/src/index.ts"]]);

/**
 * Returns the test files that are among the given files or import one of them, directly or indirectly. Scanning the
 * source text for imports takes a second, whereas Vitest's `--changed` transforms every file first.
 */
export function findAffectedTests(tests: readonly string[], files: readonly string[]): readonly string[] {
  const importers = new Map<string, string[]>();
  const seen = new Set(tests);
  // The loop also visits the files that it adds to the set.
  for (const file of seen)
    for (const imported of listImports(file)) {
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
      seen.add(imported);
    }
  const affected = new Set(files);
  for (const file of affected) for (const importer of importers.get(file) ?? []) affected.add(importer);
  return tests.filter((file) => affected.has(file));
}

function listImports(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  const found = readFileSync(file, "utf8").matchAll(/\b(?:from|import\(?)\s*"((?:\.|@avatarops\/)[^"]+)"/g);
  return Array.from(found, ([, name = ""]) => {
    const own = packages.get(name) ?? path.join(path.dirname(file), name.replace(/\.js$/, ".ts"));
    return own.split(path.sep).join("/");
  });
}
