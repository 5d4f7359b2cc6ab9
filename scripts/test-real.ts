/**
 * Runs the tests on later versions of Node than the oldest one, installed from npm; programs that the tests
 * start use the same version. `npm run test:real` runs all tests on all versions, and those that need a real code
 * host, which it builds; `npm run test:real -- --node 24 test/engine` some tests on one.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { kubeconformTool } from "../test/deploy/tools.js";
import { giteaTool } from "../test/real/gitea.js";
import { versitygwTool } from "../test/stores/s3-servers.js";
import { toolsIn } from "./tools.js";

const versions = ["22", "24", "26"];
/** The version on which the complete installation from docs/cdktf.md is tested, with the command of CDKTF. */
const wholeInstall = "22";

const { values, positionals } = parseArgs({
  options: { node: { type: "string", multiple: true, default: versions } },
  allowPositionals: true,
});
const tools = toolsIn("node", "the versions of Node, 400 MB");
tools.install();
const withServers = positionals.length === 0 || positionals.some((name) => name.startsWith("test/real"));
if (withServers) for (const tool of [giteaTool, kubeconformTool, versitygwTool]) tool.build();
for (const version of values.node) {
  const name = `node-${version}-${process.platform}-${process.arch}`;
  const bin = path.join(tools.folder, "node_modules", name, "bin");
  if (!existsSync(bin)) throw new Error(`There is no ${name}: tools/node/package.json lists the versions.`);
  console.log(`\n== Node ${version}`);
  const { status } = spawnSync(
    path.join(bin, "node"),
    ["node_modules/vitest/vitest.mjs", "run", ...positionals],
    {
      stdio: "inherit",
      env: {
        ...process.env,
        PATH: `${bin}${path.delimiter}${process.env.PATH}`,
        AVATAROPS_TEST_REAL: withServers ? "1" : "",
        AVATAROPS_TEST_WHOLE_INSTALL: version === wholeInstall ? "1" : "",
      },
    },
  );
  if (status !== 0) process.exitCode = 1;
}
