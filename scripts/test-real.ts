/**
 * Runs the tests on later versions of Node than the oldest one, as programs of their own from npm; what the tests start
 * finds the same one. `npm run test:real` runs all of them on all; `npm run test:real -- --node 24 test/engine` some on one.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { toolsIn } from "./tools.js";

const versions = ["22", "24", "26"];
/** On which the install of docs/cdktf.md is tried whole, with the command of CDKTF. */
const wholeInstall = "22";

const { values, positionals } = parseArgs({
  options: { node: { type: "string", multiple: true, default: versions } },
  allowPositionals: true,
});
const tools = toolsIn("node", "the versions of Node, 400 MB");
tools.install();
for (const version of values.node) {
  const name = `node-${version}-${process.platform}-${process.arch}`;
  const bin = path.join(tools.folder, "node_modules", name, "bin");
  if (!existsSync(bin))
    throw new Error(`There is no ${name}: tools/node/package.json names those there are.`);
  console.log(`\n== Node ${version}`);
  const { status } = spawnSync(
    path.join(bin, "node"),
    ["node_modules/vitest/vitest.mjs", "run", ...positionals],
    {
      stdio: "inherit",
      env: {
        ...process.env,
        PATH: `${bin}${path.delimiter}${process.env.PATH}`,
        AVATAROPS_TEST_WHOLE_INSTALL: version === wholeInstall ? "1" : "",
      },
    },
  );
  if (status !== 0) process.exitCode = 1;
}
