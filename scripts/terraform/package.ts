import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Metafile, type Plugin } from "esbuild";

/*
 * The package terraform starts the provider from: a launcher, which is its "executable", and beside it what the
 * launcher has Node run. It is the same on every platform with a POSIX shell.
 *
 * CommonJS, since that starts soonest; not minified, so that the stack of a bug can be read. V8 reads a file whole, also
 * the functions that are never called, and most starts of a provider are asked for its schema and no more: libraries
 * that are needed later, or never, have files of their own. To the handshake that is 44 ms instead of 62, where a bare
 * `node -e 0` takes 23; splitting by esbuild gains no more, and needs modules.
 */

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the package is called wherever it lies: `<hostname>/<namespace>/<type>`. */
export const address = "registry.terraform.io/avatarops/avatarops";

/**
 * Libraries for prompts in files, and for requests, with what is taken of them. The whole of undici, with what only
 * browsers' interfaces need, takes 42 ms of CPU to load, these two of its classes 12.
 */
const later: Readonly<Record<string, string>> = {
  tinyglobby: 'export * from "tinyglobby";',
  undici: `exports.Agent = require("undici/lib/dispatcher/agent.js");
    exports.EnvHttpProxyAgent = require("undici/lib/dispatcher/env-http-proxy-agent.js");`,
  yaml: 'export * from "yaml";',
};

/** As terraform names them. Windows has no shell for the launcher. */
export const platforms = ["darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"] as const;

export interface PackageFile {
  readonly name: string;
  readonly text: string;
  readonly mode: number;
}

interface OwnPackage {
  readonly version: string;
  readonly engines: { readonly node: string };
}

/** Facts of this repository's package.json. */
export async function ownPackage(): Promise<OwnPackage> {
  return JSON.parse(await read("package.json")) as OwnPackage;
}

/** All files of a package of that version, by name. */
export async function packageFiles(version: string): Promise<readonly PackageFile[]> {
  const { engines } = await ownPackage();
  const node = engines.node.replace(/^>=/, "");
  const bundles = await Promise.all([
    bundle("provider", 'import "./src/terraform/main.ts";', [apart(Object.keys(later)), versioned(version)]),
    ...Object.entries(later).map(([name, taken]) => bundle(name, taken, [])),
  ]);
  const files: Record<string, string> = {
    LICENSE: await read("LICENSE"),
    "THIRD-PARTY-LICENSES.txt": await licencesOf(bundles),
    "start.cjs": starter(node),
    ...Object.fromEntries(bundles.map(({ name, text }) => [`${name}.cjs`, text])),
  };
  return [
    ...Object.entries(files).map(([name, text]) => ({ name, text, mode: 0o644 })),
    { name: `terraform-provider-avatarops_v${version}`, text: launcher(node), mode: 0o755 },
  ];
}

interface Bundle {
  readonly name: string;
  readonly text: string;
  readonly metafile: Metafile;
}

async function bundle(name: string, contents: string, plugins: Plugin[]): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: root },
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "cjs",
    charset: "utf8",
    legalComments: "none",
    // `require` when it comes to it: to import CommonJS, Node would read the whole file for its exports' names first,
    // 90 ms for the HTTP client.
    supported: { "dynamic-import": false },
    // What modules know of themselves and CommonJS does not.
    define: { "import.meta.url": "importMetaUrl" },
    banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
    plugins,
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  return { name, text: outputFiles.map(({ text }) => text).join(""), metafile };
}

/** Leaves libraries to files of their own, `<name>.cjs`. */
function apart(libraries: readonly string[]): Plugin {
  return {
    name: "apart",
    setup: (build) =>
      build.onResolve({ filter: new RegExp(`^(${libraries.join("|")})$`) }, ({ path: name }) => ({
        path: `./${name}.cjs`,
        external: true,
      })),
  };
}

/** Of our package.json the provider gets the version, and that is the one of the release. */
function versioned(version: string): Plugin {
  return {
    name: "versioned",
    setup: (build) =>
      build.onLoad({ filter: /\/package\.json$/ }, () => ({
        contents: JSON.stringify({ version }),
        loader: "json",
      })),
  };
}

/**
 * What the shell runs. Where terraform expects the handshake on stdout, it shows the first line of anything else: so
 * that is where an explanation goes. NODE_OPTIONS belong to the user's own programs, and a preload that prints would
 * end the handshake. NODE_EXTRA_CA_CERTS stays, for services with a certificate of the company's own.
 */
function launcher(node: string): string {
  return `#!/bin/sh
here=\${0%/*}
[ -f "$here/start.cjs" ] || here=$(dirname -- "$(readlink -f -- "$0")")
if ! command -v node >/dev/null; then
  echo "The avatarops provider runs on Node.js ${node} or later, and there is no node on the PATH of this terraform. Install Node.js, or start terraform with its folder on PATH."
  exit 1
fi
unset NODE_OPTIONS
exec node "$here/start.cjs" "$@"
`;
}

/** Says why an old Node will not do, in words that every Node can read; only then the provider is read. */
function starter(node: string): string {
  const [major, minor] = node.split(".");
  return `"use strict";
var at = process.versions.node.split(".").map(Number);
if (at[0] < ${major} || (at[0] === ${major} && at[1] < ${minor})) {
  console.log("The avatarops provider runs on Node.js ${node} or later, and the node on the PATH of this terraform is " + process.version + ". Install a later one, or start terraform with its folder first on PATH.");
  process.exitCode = 1;
} else {
  require("./provider.cjs");
}
`;
}

/** The licences of everything that was bundled. */
async function licencesOf(bundles: readonly Bundle[]): Promise<string> {
  const outputs = bundles.flatMap(({ metafile }) => Object.values(metafile.outputs));
  const bundled = outputs.flatMap(({ inputs }) => Object.keys(inputs));
  const folders = new Set(
    bundled.flatMap((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await read(`${folder}/package.json`));
    const taken = bundled.filter((file) => file.startsWith(`${folder}/`));
    const terms = await termsOf(folder, taken);
    if (!terms) throw new Error(`${name} is bundled and tells no terms: look for them, or drop it`);
    return [`${name} ${version}, ${license}\n\n${terms}\n`];
  });
  return (await Promise.all(texts))
    .flat()
    .sort()
    .join(`\n${"-".repeat(80)}\n\n`);
}

/** The licence file of a package; where it has none, what is said at the head of the files that were taken. */
async function termsOf(folder: string, files: readonly string[]): Promise<string> {
  const named = (await readdir(path.join(root, folder))).find((one) => /^licen[cs]e/i.test(one));
  if (named) return (await read(`${folder}/${named}`)).trim();
  const heads = files.map(async (file) =>
    /^(?:\/\/.*\n)+/.exec(await read(file))?.[0].replace(/^\/\/ ?/gm, ""),
  );
  return [...new Set(await Promise.all(heads))].join("\n").trim();
}

function read(file: string): Promise<string> {
  return readFile(path.join(root, file), "utf8");
}
