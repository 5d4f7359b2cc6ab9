import path from "node:path";
import { encodeSchemas } from "@avatarops/terraform-plugin";
import type { Plugin } from "esbuild";
import { createProvider } from "../../src/entrypoints/terraform/index.js";
import {
  type BuiltFile,
  bundle,
  bundleLibrary,
  collectLicenses,
  deferBuiltins,
  generateStart,
  readSource,
  splitImports,
} from "../bundle/bundle.js";
import { direct } from "../bundle/direct.js";

/**
 * Builds the package for Terraform. Its "executable" is a shell script that runs the other files with Node. The package
 * includes the encoded schema response, which lowers the CPU time of the handshake from 65 ms to 43 ms.
 *
 * The files are CommonJS, which starts fastest. Code that is needed late or never is in separate files, because V8
 * reads whole files. Minified code would save only 3 % of a plan with 100 resources and make stack traces unreadable.
 * V8 flags and a startup snapshot are not worth their cost.
 */

/** Full name of the package: `<hostname>/<namespace>/<type>`. */
export const address = "registry.terraform.io/avatarops/avatarops";

/** Libraries for gRPC, requests and YAML, in separate files. */
const later = ["@grpc/grpc-js", "undici", "yaml"];

/** Loaded by gRPC only for channelz, which is turned off. */
const unused = ["@grpc/proto-loader"];

/** Node modules that take a millisecond or more to load and that most processes never use. */
const lateModules = ["child_process", "fs/promises", "readline/promises", "worker_threads", "zlib"];

/** Modules that the provider imports on demand. */
const parts = ["definition"];

/** Platform names in Terraform. Windows is missing, because it has no shell for the launcher. */
export const platforms = ["darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"] as const;

interface OwnPackage {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** Reads this repository's package.json. */
export async function readOwnPackage(): Promise<OwnPackage> {
  return JSON.parse(await readSource("package.json")) as OwnPackage;
}

/** Returns all files of a version's package, by name. */
export async function generatePackageFiles(version: string): Promise<readonly BuiltFile[]> {
  const { engines, peerDependencies } = await readOwnPackage();
  const node = engines.node.replace(/^>=/, "");
  // Optional packages, such as AWS clients, which Node finds in terraform's working folder.
  const external = Object.keys(peerDependencies);
  const separate = splitImports([...later, ...parts.map((part) => `\\./${part}\\.js`)]);
  // The provider reads its version from our package.json.
  const withVersion = replaceModule(/\/package\.json$/, JSON.stringify({ version }), "json");
  const schema = `export const builtSchema = ${JSON.stringify(encodeSchema(version))};`;
  const withSchema = replaceModule(/\/terraform\/built-schema\.ts$/, schema, "ts");
  const provider = await bundle('import "./src/entrypoints/terraform/main.ts";', {
    external,
    plugins: [separate, withVersion, withSchema, direct],
  });
  const plugins = [separate, direct, deferBuiltins(lateModules)];
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
    LICENSE: await readSource("LICENSE"),
    "THIRD-PARTY-LICENSES.txt": await collectLicenses([provider, ...Object.values(others)]),
    "start.cjs": await generateStart({
      file: "provider.cjs",
      text: provider.text,
      otherBundles: Object.fromEntries(Object.entries(others).map(([name, { text }]) => [name, text])),
      node,
      rejection: generateRejection(node),
    }),
    "provider.cjs": provider.text,
    ...Object.fromEntries(Object.entries(others).map(([name, { text }]) => [name, text])),
  };
  return [
    ...Object.entries(files).map(([name, text]) => ({ name, text, mode: 0o644 })),
    { name: `terraform-provider-avatarops_v${version}`, text: generateLauncher(node), mode: 0o755 },
  ];
}

/** Returns the provider's responses with its schemas, in base64. */
function encodeSchema(version: string): { readonly [call: string]: string } {
  const responses = encodeSchemas(createProvider({ version, environment: {} }));
  return Object.fromEntries(
    Object.entries(responses).map(([call, bytes]) => [call, Buffer.from(bytes).toString("base64")]),
  );
}

/** Returns a plugin that replaces the matching modules. */
function replaceModule(filter: RegExp, contents: string, loader: "json" | "ts"): Plugin {
  const name = `replace ${filter.source}`;
  return { name, setup: (build) => build.onLoad({ filter }, () => ({ contents, loader })) };
}

/**
 * Returns the launcher. It prints explanations to stdout, because Terraform expects the handshake there and
 * shows the first line of any other output. It ignores NODE_OPTIONS, because a preload that prints would
 * break the handshake, and keeps NODE_EXTRA_CA_CERTS for services with a company certificate.
 */
function generateLauncher(node: string): string {
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

/** Returns the explanation for an unsupported Node. Terraform shows only its first line. */
function generateRejection(node: string): string {
  return `console.log("The avatarops provider runs on Node.js ${node} or later, and the node on the PATH of this terraform is " + process.version + ". Install a later one, or start terraform with its folder first on PATH.");`;
}
