/**
 * Installs the servers and clients for the CI tests: `npm run test:servers`. With names from `tools.ts`, it
 * installs only those tools and prints their paths: `TERRAFORM=$(npx tsx scripts/install-tools.ts tofu) npx
 * vitest run test/terraform`.
 */
import { spawnSync } from "node:child_process";
import { exitWithUsage, readOptions } from "./options.js";
import type { Tool } from "./tools/tool.js";
import { ciTools, tools } from "./tools.js";

const known = new Map<string, Tool>(Object.entries(tools));
const usage = `npm run test:servers -- [TOOL]…, of: ${[...known.keys()].join(", ")}`;
const { positionals: names } = readOptions(usage, { allowPositionals: true });
for (const name of names) {
  const tool = known.get(name);
  if (!tool) exitWithUsage(usage, `Unknown tool ${name}`);
  tool.install();
  console.log(tool.path);
}
if (names.length === 0)
  for (const tool of Object.values(ciTools)) {
    if (tool === tools.porcupine && spawnSync("go", ["version"]).status !== 0)
      console.log("Go is missing, so Porcupine is not built.");
    else tool.install();
  }
