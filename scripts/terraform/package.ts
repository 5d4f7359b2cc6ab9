import { readFile } from "node:fs/promises";
import path from "node:path";
import { schemaBytes } from "@avatarops/terraform-plugin";
import type { Plugin } from "esbuild";
import { createProvider } from "../../src/terraform/index.js";
import { apart, bundle, licencesOf, root, start } from "../bundle/bundle.js";

/*
 * The package terraform starts the provider from: a launcher, which is its "executable", and beside it what the
 * launcher has Node run. It is the same on every platform with a POSIX shell.
 *
 * CommonJS, since that starts soonest; not minified, so that the stack of a bug can be read. V8 reads a file whole, also
 * the functions that are never called: what is needed later, or never, has files of its own. One start of every command
 * is asked for the schema and no more; that is made here, so that the provider itself is not even read. To the handshake
 * that is 43 ms of CPU instead of 65, where a bare `node -e 0` takes 25.
 *
 * Tried, and left: minifying, 3 % of a plan of 100; flags of V8, nothing. A snapshot cannot have node:http2 in it.
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

/** Parts of the provider, as `main.ts` imports them when it comes to it. */
const parts = ["definition", "debugging"];

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
  const provider = await bundle('import "./src/terraform/main.ts";', {
    plugins: [
      apart(parts.map((part) => `\\./${part}\\.js`)),
      versioned(version),
      withSchema(schemaOf(version)),
    ],
  });
  const plugins = [apart(Object.keys(later))];
  const others = Object.fromEntries(
    await Promise.all([
      ...parts.map(async (part) => {
        const text = `export * from "./src/terraform/${part}.ts";`;
        return [`${part}.cjs`, await bundle(text, { plugins })] as const;
      }),
      ...Object.entries(later).map(async ([name, taken]) => [`${name}.cjs`, await bundle(taken)] as const),
    ]),
  );
  const files: Record<string, string> = {
    LICENSE: await read("LICENSE"),
    "THIRD-PARTY-LICENSES.txt": await licencesOf([provider, ...Object.values(others)]),
    "start.cjs": await start({
      file: "provider.cjs",
      text: provider.text,
      beside: Object.fromEntries(Object.entries(others).map(([name, { text }]) => [name, text])),
      node,
      refuse: refusal(node),
    }),
    "provider.cjs": provider.text,
    ...Object.fromEntries(Object.entries(others).map(([name, { text }]) => [name, text])),
  };
  return [
    ...Object.entries(files).map(([name, text]) => ({ name, text, mode: 0o644 })),
    { name: `terraform-provider-avatarops_v${version}`, text: launcher(node), mode: 0o755 },
  ];
}

/** What the provider answers when it is asked for its schema, in base64. */
function schemaOf(version: string): string {
  return Buffer.from(schemaBytes(createProvider({ version, environment: {} }))).toString("base64");
}

/** Puts the schema into what is served. */
function withSchema(schema: string): Plugin {
  return {
    name: "with-schema",
    setup: (build) =>
      build.onLoad({ filter: /\/terraform\/built-schema\.ts$/ }, () => ({
        contents: `export const builtSchema = ${JSON.stringify(schema)};`,
        loader: "ts",
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

/** Where terraform expects the handshake it shows the first line of anything else. */
function refusal(node: string): string {
  return `console.log("The avatarops provider runs on Node.js ${node} or later, and the node on the PATH of this terraform is " + process.version + ". Install a later one, or start terraform with its folder first on PATH.");`;
}

function read(file: string): Promise<string> {
  return readFile(path.join(root, file), "utf8");
}
