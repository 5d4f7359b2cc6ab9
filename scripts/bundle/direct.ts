import { readFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "esbuild";

/**
 * Replaces imports from an `index.ts` with imports from the defining file. A bundle runs a module on first use, so with
 * imports from the indexes each command would run nearly all modules (493 instead of 257 for `validate`).
 */
export const direct: Plugin = {
  name: "direct",
  setup: (build) =>
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path: file }) => ({
      contents: readFileSync(file, "utf8").replace(
        /^import \{([^}]*)\} from "(\.[^"]*\/index\.js)";/gm,
        (_, names: string, index: string) => makeDirectImports(names, resolveImport(file, index)),
      ),
      loader: "ts",
    })),
};

function makeDirectImports(names: string, index: string): string {
  return parseNames(names)
    .map((name) => `import { ${name} } from ${JSON.stringify(findExportingFile(name, index))};`)
    .join(" ");
}

/**
 * Finds the file that defines an export of an `index.ts`, even in another module. Returns the index if it
 * defines the export itself.
 */
function findExportingFile(name: string, file: string): string {
  const next = file.endsWith("/index.ts") ? mapExportingFiles(file).get(name) : undefined;
  return next === undefined ? file : findExportingFile(name, next);
}

function mapExportingFiles(index: string): ReadonlyMap<string, string> {
  const lists = readFileSync(index, "utf8").matchAll(/^export \{([^}]*)\} from "(\.[^"]+)";/gm);
  return new Map(
    Array.from(lists).flatMap(([, names = "", from = ""]) =>
      parseNames(names).map((name) => [name, resolveImport(index, from)] as const),
    ),
  );
}

/** Returns the names in braces, without types. */
function parseNames(names: string): string[] {
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "));
}

function resolveImport(importer: string, specifier: string): string {
  return path.resolve(path.dirname(importer), specifier.replace(/\.js$/, ".ts"));
}
