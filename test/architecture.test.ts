import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

/*
 * Checks imports against the module table in ARCHITECTURE.md. To allow a new import, change the table first. Rules that
 * need no table are in biome.json.
 */

const allowances = readModuleTable(readFileSync("ARCHITECTURE.md", "utf8"));
/** Workspace packages, which other code imports by name. */
const packages = readdirSync("packages").map((name) => `packages/${name}`);
/** Folders with an index, such as `core/kinds`. `operations` is a layer with one module. */
const modules = [
  ...readdirSync("src").flatMap((layer) =>
    layer === "index.ts" || existsSync(`src/${layer}/index.ts`)
      ? [layer]
      : readdirSync(`src/${layer}`).map((module) => `${layer}/${module}`),
  ),
  ...packages,
];
const sources = ["src", ...packages.map((name) => `${name}/src`)]
  .flatMap(listFiles)
  .filter((file) => !file.startsWith("src/entrypoints/cdktf/generated/bindings/"));
const imports = sources.flatMap(readImports);
/** Files that may use real time. The simulator replaces the code that calls them. */
const realTime = [
  // Socket timeouts run in real time. The simulator replaces `Exchange` and its timeout.
  ...["src/core/api/wire.ts", "src/base/http/client.ts"],
  // Store connections and processes. The simulator replaces `StoreBackend` and its timeout.
  ...["src/core/state/stores/postgres-connection.ts", "src/base/git/program.ts"],
  // Used only by servers.
  "src/base/serving/server.ts",
  // Generates a random name for a temporary file. The name does not affect the result.
  "src/base/files/writing.ts",
  // Implements the injected system.
  ...["src/base/system/index.ts", "src/base/system/system.ts"],
];

describe("module table", () => {
  test("has a row for every module and no other rows", () => {
    expect([...allowances.keys()].sort()).toEqual([...modules].sort());
  });

  test("allows render to import only documents, and allows no imports in diagnostics, the emulator and the plugin package", () => {
    const fixed = ["base/diagnostics", "emulator", "output/render", "packages/terraform-plugin"].map(
      (module) => [module, allowances.get(module)] as const,
    );
    expect(Object.fromEntries(fixed)).toEqual({
      "base/diagnostics": [],
      emulator: [],
      "output/render": ["output/documents"],
      "packages/terraform-plugin": [],
    });
  });

  test("allows no imports from a later layer", () => {
    const layers = [...new Set([...allowances.keys()].map(findLayer))];
    const apart = ["emulator", ...packages];
    const later = [...allowances].flatMap(([module, others]) =>
      imports
        .filter(({ from, to }) => from === module && others.includes(to) && !apart.includes(to))
        .filter(({ to }) => layers.indexOf(findLayer(to)) > layers.indexOf(findLayer(module)))
        .map(({ file, target }) => `${file} imports ${target}`),
    );
    expect(layers.length).toBeGreaterThan(6);
    expect(later).toEqual([]);
  });
});

describe("modules", () => {
  test.each(modules)("import only modules that their row allows: %s", (module) => {
    const refused = imports
      .filter(({ from, to }) => from === module && to !== module && !allowances.get(module)?.includes(to))
      .map(({ file, target }) => `${file} imports ${target}`);
    expect(refused).toEqual([]);
  });

  test("are imported only through their index file", () => {
    const refused = imports
      .filter(({ from, to, target }) => from !== to && target !== findEntry(to))
      .map(({ file, target }) => `${file} imports ${target}`);
    expect(refused).toEqual([]);
  });

  test("import between `operations` folders only in the order listed in ARCHITECTURE.md", () => {
    const [, listed = ""] = /^Its folders, (.*?)\n\n/ms.exec(readFileSync("ARCHITECTURE.md", "utf8")) ?? [];
    const folders = Array.from(listed.matchAll(/`([\w-]+)\/`/g), ([, name = ""]) => name);
    expect(folders.toSorted()).toEqual(readdirSync("src/operations").filter((name) => name !== "index.ts"));
    const layerOf = (file: string) => folders.indexOf(file.split("/")[2] ?? "");
    const refused = imports
      .filter(
        ({ from, to, file }) => from === to && to === "operations" && file !== "src/operations/index.ts",
      )
      .filter(({ file, target }) => layerOf(target) > layerOf(file))
      .map(({ file, target }) => `${file} imports ${target}`);
    expect(refused).toEqual([]);
  });
});

describe("core and base", () => {
  test("get the clock, timers and random numbers only from the injected system", () => {
    const core = sources.filter((file) => /^src\/(core|base)\//.test(file));
    const forbidden =
      /\b(?:Date\.now|performance\.now|Math\.random|setTimeout|setInterval|setImmediate|nodeSystem)\b|new Date\(\)|"node:timers|\brandom\w+,? [^}]*\} from "node:crypto"/;
    const found = core.filter((file) => forbidden.test(readFileSync(file, "utf8")));
    expect(core.length).toBeGreaterThan(100);
    expect(found.toSorted()).toEqual(realTime.toSorted());
  });
});

/** Reads each module's allowed imports from the rows (`module/`, content, imports) between the markers. */
function readModuleTable(page: string): Map<string, string[]> {
  const [, table = ""] = /<!-- modules -->(.*?)<!-- \/modules -->/s.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| `([\w./-]+?)\/?` \|.*\| ([^|]+) \|$/gm)];
  const all = rows.map(([, module = ""]) => module);
  return new Map(rows.map(([, module = "", cell = ""]) => [module, parseAllowed(cell, all)]));
}

/** Parses a cell: "–", "api, kinds", "everything" or "everything but cli, emulator". */
function parseAllowed(cell: string, all: readonly string[]): string[] {
  if (cell === "–") return [];
  if (!cell.startsWith("everything")) return cell.split(", ").map((name) => findModule(name, all));
  const excepted = cell.replace(/^everything( but )?/, "").split(", ");
  return all.filter((module) => !excepted.includes(path.posix.basename(module)));
}

/**
 * Finds the module whose path ends in a name. Returns the name unchanged unless exactly one module matches.
 */
function findModule(name: string, all: readonly string[]): string {
  const [module = name, ...others] = all.filter((one) => path.posix.basename(one) === name);
  return others.length === 0 ? module : name;
}

/** Returns a module's layer. The library's `index.ts` is an entry point. */
function findLayer(module: string): string {
  return module === "index.ts" ? "entrypoints" : (module.split("/")[0] ?? module);
}

interface Import {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Path relative to the repository root. */
  readonly target: string;
}

/** Reads static and dynamic imports of our own files and packages. */
function readImports(file: string): Import[] {
  const written = readFileSync(file, "utf8").matchAll(
    /(?:from|import)\s*\(?\s*"((?:\.|@avatarops\/)[^"]+)"/g,
  );
  return [...written]
    .map(([, specifier = ""]) =>
      specifier.startsWith(".")
        ? path.posix.join(path.posix.dirname(file), specifier)
        : specifier.replace(/^@avatarops\//, "packages/"),
    )
    .filter((target) => target !== "package.json")
    .map((target) => ({
      file,
      from: parseModule(file),
      to: parseModule(target.replace(/\.js$/, ".ts")),
      target,
    }));
}

function parseModule(file: string): string {
  const inSrc = file.replace(/^src\//, "");
  return (
    modules.find((module) => inSrc === module || inSrc.startsWith(`${module}/`)) ?? `outside src: ${file}`
  );
}

/** Returns the file through which other modules import a module. Packages are imported by name. */
function findEntry(module: string): string {
  if (module.startsWith("packages/")) return module;
  return module === "index.ts" ? "src/index.js" : `src/${module}/index.js`;
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.posix.join(folder, file.split(path.sep).join("/")));
}
