import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

/*
 * Bundles each program into one file, except for libraries that are needed late or not at all. The bundles are
 * CommonJS, which starts fastest and lets V8 reuse compiled code, and are not minified, so stack traces stay readable.
 */

export const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Bundle {
  readonly text: string;
  readonly metafile: Metafile;
}

const options: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "cjs",
  charset: "utf8",
  legalComments: "none",
  write: false,
  metafile: true,
  logLevel: "warning",
};

/** Bundles a module given as source code. Paths are relative to the repository root. */
export async function bundle(
  contents: string,
  more: Pick<BuildOptions, "plugins" | "external" | "banner" | "footer"> = {},
) {
  return runBuild({
    ...options,
    stdin: { contents, resolveDir: root },
    // Compiles `import()` to `require`. Before Node imports a CommonJS file, it scans the whole file for export names,
    // which takes 90 ms for the HTTP client.
    supported: { "dynamic-import": false },
    // Replaces `import.meta.url`, which CommonJS lacks.
    define: { "import.meta.url": "importMetaUrl" },
    banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
    ...more,
  });
}

/**
 * Bundles a library without tree shaking, which could remove needed code. Tests would miss that, because only an
 * installed package would fail.
 */
export function bundleLibrary(name: string, external: readonly string[] = []): Promise<Bundle> {
  const withoutGlobals = unreadGlobals[name] ?? [];
  return bundle(`module.exports = require(${JSON.stringify(name)});`, {
    external: [...external],
    ...(withoutGlobals.length > 0 && hideGlobals(withoutGlobals)),
  });
}

/**
 * Globals to hide while a library loads. undici reads `Headers` only to accept objects from Node's built-in undici, but
 * the read would load that second undici (20 to 45 ms of CPU).
 */
const unreadGlobals: Readonly<Record<string, readonly string[]>> = { undici: ["Headers"] };

function hideGlobals(names: readonly string[]): Pick<BuildOptions, "banner" | "footer"> {
  const list = JSON.stringify(names);
  return {
    banner: {
      js: `const own = ${list}.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
for (const [name] of own) Reflect.deleteProperty(globalThis, name);
try {`,
    },
    footer: {
      js: "} finally {\n  for (const [name, was] of own) if (was) Object.defineProperty(globalThis, name, was);\n}",
    },
  };
}

/** Options for the file that starts a bundle. */
export interface Start {
  /** Name of a bundle in the same folder. */
  readonly file: string;
  readonly text: string;
  /**
   * Contents of other bundles in the same folder, by name. The bundle loads them with `require`, and their compiled
   * code is also cached.
   */
  readonly otherBundles?: Readonly<Record<string, string>>;
  /** Oldest supported Node, such as "20.19". */
  readonly node: string;
  /** Statement that rejects an older Node, in syntax that every Node can parse. */
  readonly rejection: string;
  readonly commands?: readonly string[];
  /** Path from the start file to the package.json whose version `--version` prints. */
  readonly versionIn?: string;
}

/**
 * Generates the file that runs a bundle from V8's compiled code. Its syntax is ES2015, so an unsupported Node can parse
 * the file and print the rejection.
 */
export async function generateStart({
  file,
  text,
  otherBundles = {},
  node,
  rejection,
  commands = [],
  versionIn,
}: Start): Promise<string> {
  const digests = Object.fromEntries(
    Object.entries({ [file]: text, ...otherBundles }).map(([name, bundled]) => [name, digestText(bundled)]),
  );
  const { text: running } = await runBuild({
    ...options,
    entryPoints: ["scripts/bundle/first.ts"],
    format: "iife",
    target: "es2015",
    define: { bundle: JSON.stringify({ file, digests, commands, versionIn }) },
  });
  const [major, minor] = node.split(".");
  return `"use strict";
var at = process.versions.node.split(".").map(Number);
if (at[0] < ${major} || (at[0] === ${major} && at[1] < ${minor})) {
  ${rejection}
  process.exitCode = 1;
} else {
${running}}
`;
}

function digestText(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Puts matching imports, such as a library, into separate files `<name>.cjs`. */
export function splitImports(patterns: readonly string[]): Plugin {
  return {
    name: "apart",
    setup: (build) =>
      build.onResolve({ filter: new RegExp(`^(${patterns.join("|")})$`) }, ({ path: name }) => ({
        path: `./${path.basename(name, ".js")}.cjs`,
        external: true,
      })),
  };
}

/** Loads these Node modules on first use instead of at startup. */
export function deferBuiltins(builtins: readonly string[]): Plugin {
  return {
    name: "late",
    setup(build) {
      build.onResolve(
        { filter: new RegExp(`^(node:)?(${builtins.join("|")})$`) },
        ({ path: name, namespace }) =>
          namespace === "late" ? { path: name, external: true } : { path: name, namespace: "late" },
      );
      build.onLoad({ filter: /./, namespace: "late" }, async ({ path: name }) => ({
        contents: `for (const name of ${JSON.stringify(Object.keys((await import(name)).default))})
          Object.defineProperty(exports, name, { enumerable: true, get: () => require("${name}")[name] });`,
      }));
    },
  };
}

async function runBuild(given: BuildOptions): Promise<Bundle> {
  const { outputFiles = [], metafile = { inputs: {}, outputs: {} } } = await build(given);
  // Escapes non-ASCII characters, so that Node can read the file as Latin-1, which takes a third of the time of UTF-8.
  // A preceding backslash would break the escape, but does not occur in bundles.
  const text = outputFiles
    .map(({ text }) => text)
    .join("")
    .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return { text, metafile };
}

/** Separator between the licenses of two packages. */
export const licenseSeparator = `\n${"-".repeat(80)}\n\n`;

/** Returns the licenses of all bundled packages. */
export async function collectLicenses(bundles: readonly Bundle[]): Promise<string> {
  const outputs = bundles.flatMap(({ metafile }) => Object.values(metafile.outputs));
  const bundled = outputs.flatMap(({ inputs }) => Object.keys(inputs));
  const folders = new Set(
    bundled.flatMap((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readSource(`${folder}/package.json`));
    const taken = bundled.filter((file) => file.startsWith(`${folder}/`));
    const terms = await readTerms(folder, taken);
    if (!terms)
      throw new Error(`${name} is bundled but has no license text. Add the license, or remove the package.`);
    return [`${name} ${version}, ${license}\n\n${terms}\n`];
  });
  return (await Promise.all(texts)).flat().sort().join(licenseSeparator);
}

/** Returns the license file of a package, or the comment at the top of its files. */
async function readTerms(folder: string, files: readonly string[]): Promise<string> {
  const named = (await readdir(path.join(root, folder))).find((one) => /^licen[cs]e/i.test(one));
  if (named) return (await readSource(`${folder}/${named}`)).trim();
  const heads = files.map(async (file) =>
    /^(?:\/\/.*\n)+/.exec(await readSource(file))?.[0].replace(/^\/\/ ?/gm, ""),
  );
  return [...new Set(await Promise.all(heads))].join("\n").trim();
}

/** Reads a file, given by its path in this repository. */
export function readSource(file: string): Promise<string> {
  return readFile(path.join(root, file), "utf8");
}

/** Build output file. `name` is its path within the target folder. */
export interface BuiltFile {
  readonly name: string;
  readonly text: string;
  readonly mode: number;
}

/** Replaces a folder in one step, so that a running program never reads a half-written one. */
export async function replaceFolder(target: string, files: readonly BuiltFile[]): Promise<void> {
  const aside = `${target}.next`;
  await rm(aside, { recursive: true, force: true });
  for (const { name, text, mode } of files) {
    await mkdir(path.dirname(path.join(aside, name)), { recursive: true });
    await writeFile(path.join(aside, name), text, { mode });
  }
  await rm(target, { recursive: true, force: true });
  await rename(aside, target);
}
