import { readFile } from "node:fs/promises";
import path from "node:path";
import { encodeSchemas } from "@avatarops/terraform-plugin";
import type { Plugin } from "esbuild";
import { createProvider } from "../../src/entrypoints/terraform/index.js";
import { apart, bundle, bundleLibrary, late, licencesOf, root, start } from "../bundle/bundle.js";
import { direct } from "../bundle/direct.js";

/*
 * The package from which terraform starts the provider: a launcher, which is its "executable", and the files
 * that Node runs. It is the same on every platform with a POSIX shell.
 *
 * CommonJS, because it starts fastest; not minified, so that stack traces stay readable. V8 reads whole
 * files, including functions that are never called: what is needed late, or never, is in separate files. One
 * start per command only asks for the schema; the build prepares that answer, so that not even the provider
 * itself is loaded. The handshake then takes 43 ms of CPU instead of 65; a bare `node -e 0` takes 25.
 *
 * Tried and rejected: minifying (3 % of a plan of 100), flags of V8 (nothing, also those that make room for
 * young objects), a startup snapshot: with node:net and node:crypto inside it starts in 28.5 ms, and a script that
 * loads them in 27.2.
 */

/** The full name of the package: `<hostname>/<namespace>/<type>`. */
export const address = "registry.terraform.io/avatarops/avatarops";

/** Libraries in files of their own, for gRPC, requests and YAML. */
const later = ["@grpc/grpc-js", "undici", "yaml"];

/** What gRPC describes itself with to channelz, which is off. */
const unused = ["@grpc/proto-loader"];

/** Modules of Node that take a millisecond or more to load, and that most processes never use. */
const lateModules = ["child_process", "fs/promises", "readline/promises", "worker_threads", "zlib"];

/** Parts of the provider, as it imports them when needed. */
const parts = ["definition"];

/** Terraform's platform names. Windows has no shell for the launcher. */
export const platforms = ["darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"] as const;

export interface PackageFile {
  readonly name: string;
  readonly text: string;
  readonly mode: number;
}

interface OwnPackage {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** Facts of this repository's package.json. */
export async function ownPackage(): Promise<OwnPackage> {
  return JSON.parse(await read("package.json")) as OwnPackage;
}

/** All files of a package of that version, by name. */
export async function packageFiles(version: string): Promise<readonly PackageFile[]> {
  const { engines, peerDependencies } = await ownPackage();
  const node = engines.node.replace(/^>=/, "");
  // The libraries of vaults: Node finds them in the folder terraform runs in.
  const external = Object.keys(peerDependencies);
  const separate = apart([...later, ...parts.map((part) => `\\./${part}\\.js`)]);
  const provider = await bundle('import "./src/entrypoints/terraform/main.ts";', {
    external,
    plugins: [separate, versioned(version), withSchema(schemaOf(version)), direct],
  });
  const plugins = [separate, direct, late(lateModules)];
  const others = Object.fromEntries(
    await Promise.all([
      ...parts.map(async (part) => {
        const text = `export * from "./src/entrypoints/terraform/${part}.ts";`;
        return [`${part}.cjs`, await bundle(text, { plugins, external })] as const;
      }),
      ...later.map(
        async (name) => [`${path.basename(name)}.cjs`, await bundleLibrary(name, unused)] as const,
      ),
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

/** The provider's answers with its schemas, in base64. */
function schemaOf(version: string): { readonly [call: string]: string } {
  const answers = encodeSchemas(createProvider({ version, environment: {} }));
  return Object.fromEntries(
    Object.entries(answers).map(([call, bytes]) => [call, Buffer.from(bytes).toString("base64")]),
  );
}

/** Inserts the schemas into the served module. */
function withSchema(schema: { readonly [call: string]: string }): Plugin {
  return {
    name: "with-schema",
    setup: (build) =>
      build.onLoad({ filter: /\/terraform\/built-schema\.ts$/ }, () => ({
        contents: `export const builtSchema = ${JSON.stringify(schema)};`,
        loader: "ts",
      })),
  };
}

/** The provider takes its version from our package.json; here, that is the version of the release. */
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
 * The launcher. Terraform expects the handshake on stdout and shows the first line of anything else: so an
 * explanation goes there. NODE_OPTIONS belong to the user's own programs, and a preload that prints would
 * break the handshake. NODE_EXTRA_CA_CERTS stays, for services with a company certificate.
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

/** Terraform shows the first line of anything other than the handshake. */
function refusal(node: string): string {
  return `console.log("The avatarops provider runs on Node.js ${node} or later, and the node on the PATH of this terraform is " + process.version + ". Install a later one, or start terraform with its folder first on PATH.");`;
}

function read(file: string): Promise<string> {
  return readFile(path.join(root, file), "utf8");
}
