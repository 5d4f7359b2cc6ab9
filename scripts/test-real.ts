/**
 * Runs the tests, and the programs that they start, on newer versions of Node, installed from npm.
 *
 * `npm run test:real` covers all versions. On the first version, it also builds servers and runs the long tests, such
 * as `test/real`. `npm run test:real -- --node 24 test/engine` runs some tests on one version.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { version as ownVersion } from "../src/base/version/index.js";
import { buildForThisMachine } from "./executables/build.js";
import { readOptions } from "./options.js";
import { nightTools, tools } from "./tools.js";

const versions = ["22", "24", "26"];
/** Node version for the test that installs everything in docs/cdktf.md, including the CDKTF command. */
const wholeInstall = "22";
/**
 * Folder of the long tests. They run only on the first requested Node version, because real hosts and stores behave the
 * same with every version. The first version is 22 by default, because no later one starts the CDKTF command.
 */
const servers = "test/real";

const { values, positionals } = readOptions("npm run test:real -- [--node VERSION]… [PATTERN]…", {
  options: { node: { type: "string", multiple: true, default: versions } },
  allowPositionals: true,
});
tools.node.install();
const withServers = positionals.length === 0 || positionals.some((name) => name.startsWith(servers));
const others = positionals.filter((name) => !name.startsWith(servers));
/** Terraform programs to test the provider with, in addition to the machine's own. */
const cores = {
  "Terraform 1.15": tools["terraform-1.15"],
  "Terraform 1.16": tools["terraform-1.16"],
  "OpenTofu 1.12": tools.tofu,
};
/** Provider tests to run with the Node package and with the executable. */
const packagedTests = [
  ...["context", "data", "delete", "forget", "moving-names", "provider", "references", "rename"],
  ...["secret", "state-upgrade", "timeouts"],
].map((name) => `test/terraform/${name}.test.ts`);
const seconds: string[] = [];
const findBin = (version: string) =>
  path.join(tools.node.path, "node_modules", `node-${version}-${process.platform}-${process.arch}`, "bin");
if (withServers) {
  // Installs the tools with the first requested Node, because the oldest supported Node cannot install CDK Terrain.
  process.env.PATH = [findBin(values.node[0] ?? ""), process.env.PATH].join(path.delimiter);
  const shared = [tools["terraform-1.15"], tools.porcupine, tools.libraries, tools["hypersonic-heygen"]];
  for (const tool of [...Object.values(nightTools), ...shared]) tool.install();
}

/** Runs tests with the Node binary in `bin`, and records their duration. */
function run(what: string, bin: string, argv: readonly string[], environment: NodeJS.ProcessEnv): void {
  console.log(`\n== ${what}`);
  const began = Date.now();
  const { status } = spawnSync(path.join(bin, "node"), ["node_modules/vitest/vitest.mjs", "run", ...argv], {
    stdio: "inherit",
    env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}`, ...environment },
  });
  const took = Math.round((Date.now() - began) / 1000);
  seconds.push(`${String(took).padStart(7)}  ${what}${status === 0 ? "" : ": failed"}`);
  if (status !== 0) process.exitCode = 1;
}

for (const version of values.node) {
  const isFirst = version === values.node[0];
  // No other tests were requested.
  if (!isFirst && positionals.length > 0 && others.length === 0) break;
  const bin = findBin(version);
  if (!existsSync(bin)) throw new Error(`${bin} does not exist. tools/node/package.json lists the versions.`);
  const files = isFirst ? positionals : [...others, `--exclude=${servers}/**`];
  const long = withServers && isFirst;
  run(`Node ${version}${long ? ", with servers" : ""}`, bin, files, {
    AVATAROPS_TEST_REAL: long ? "1" : "",
    AVATAROPS_TEST_WHOLE_INSTALL: version === wholeInstall ? "1" : "",
  });
  if (!isFirst || positionals.length > 0) continue;
  run("google-auth-library 11", bin, ["test/secrets/google-secret-manager.test.ts"], {
    AVATAROPS_TEST_GOOGLE_AUTH: path.join(tools.libraries.path, "node_modules/google-auth-library"),
  });
  for (const [core, { path: program }] of Object.entries(cores).filter(([, { has }]) => has()))
    run(core, bin, ["test/terraform", "packages/terraform-plugin/test"], {
      TERRAFORM: program,
      AVATAROPS_TEST_REAL: "1",
    });
  await runPackaged(bin);
}

/** Runs the provider's tests with each Terraform program, as a Node package and as an executable. */
async function runPackaged(bin: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "avatarops-real-"));
  const providers = {
    package: `dist/terraform/package/terraform-provider-avatarops_v${ownVersion}`,
    executable: await buildForThisMachine(folder, ownVersion),
  };
  const machine = { path: "terraform", has: () => true };
  for (const [core, { path: program, has }] of Object.entries({
    "The machine's terraform": machine,
    ...cores,
  }))
    for (const [form, provider] of Object.entries(providers).filter(has))
      run(`${core}, ${form}`, bin, packagedTests, {
        TERRAFORM: program,
        AVATAROPS_TEST_PROVIDER: provider,
        AVATAROPS_TEST_REAL: "1",
      });
  rmSync(folder, { recursive: true });
}
console.log(`\nseconds  version\n${seconds.join("\n")}`);
