import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Plugin } from "esbuild";
import { apart, bundle, licencesOf, root, start } from "../bundle/bundle.js";

/*
 * The package terraform starts the provider from: a launcher, which is its "executable", and beside it what the
 * launcher has Node run. It is the same on every platform with a POSIX shell.
 *
 * CommonJS, since that starts soonest; not minified, so that the stack of a bug can be read. V8 reads a file whole, also
 * the functions that are never called, and most starts of a provider are asked for its schema and no more: libraries
 * that are needed later, or never, have files of their own. To the handshake that is 44 ms instead of 62, where a bare
 * `node -e 0` takes 23; splitting by esbuild gains no more, and needs modules.
 */

/** What the package is called wherever it lies: `<hostname>/<namespace>/<type>`. */
export const address = "registry.terraform.io/avatarops/avatarops";

/** The whole of undici, with what only browsers' interfaces need, takes 42 ms of CPU to load, these two of its classes 12. */
export const httpClient = `exports.Agent = require("undici/lib/dispatcher/agent.js");
  exports.EnvHttpProxyAgent = require("undici/lib/dispatcher/env-http-proxy-agent.js");`;

/** Libraries for prompts in files, and for requests, with what is taken of them. */
const later: Readonly<Record<string, string>> = {
  tinyglobby: 'export * from "tinyglobby";',
  undici: httpClient,
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
  const plugins = [apart(Object.keys(later)), versioned(version)];
  const provider = await bundle('import "./src/terraform/main.ts";', { plugins });
  const libraries = await Promise.all(
    Object.entries(later).map(async ([name, taken]) => [`${name}.cjs`, await bundle(taken)] as const),
  );
  const files: Record<string, string> = {
    LICENSE: await read("LICENSE"),
    "THIRD-PARTY-LICENSES.txt": await licencesOf([provider, ...libraries.map(([, library]) => library)]),
    "start.cjs": await start({ file: "provider.cjs", text: provider.text, node, refuse: refusal(node) }),
    "provider.cjs": provider.text,
    ...Object.fromEntries(libraries.map(([name, { text }]) => [name, text])),
  };
  return [
    ...Object.entries(files).map(([name, text]) => ({ name, text, mode: 0o644 })),
    { name: `terraform-provider-avatarops_v${version}`, text: launcher(node), mode: 0o755 },
  ];
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

/** Where terraform expects the handshake it shows the first line of anything else. */
function refusal(node: string): string {
  return `console.log("The avatarops provider runs on Node.js ${node} or later, and the node on the PATH of this terraform is " + process.version + ". Install a later one, or start terraform with its folder first on PATH.");`;
}

function read(file: string): Promise<string> {
  return readFile(path.join(root, file), "utf8");
}
