import { fileURLToPath } from "node:url";
import { alternate, type Benchmark, compareMedians, printTable } from "./support/benchmark.js";
import { program, runNode } from "./support/run-node.js";

const example = fileURLToPath(new URL("../../examples/yaml", import.meta.url));
const rounds = 15;

export const startUp: Benchmark = {
  name: "start-up",
  measures: "small commands relative to an empty Node process",
  async run() {
    const run = (args: readonly string[]) => async () => (await runNode(args, { cwd: example })).wallMs;
    const times = await alternate(rounds, {
      "node -e 0": run(["-e", "0"]),
      "avatarops --version": run([program, "--version"]),
      "avatarops --help": run([program, "--help"]),
      "avatarops validate (example)": run([program, "validate", "--quiet"]),
    });
    const title = `Start-up, medians of ${rounds} alternating runs`;
    printTable(title, ["command", "ms", "× node -e 0"], compareMedians(times));
  },
};
