import { rm } from "node:fs/promises";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { alternate, type Benchmark, computeMedian, printTable } from "./support/benchmark.js";
import { withEmulator } from "./support/project.js";
import { runCommand } from "./support/run-node.js";
import { type CreateProject, withStores } from "./support/stores.js";

const objects = 1_000;
const rounds = 5;

/** Times depend on the machine, so compare only ratios within one run. */
export const firstApply: Benchmark = {
  name: "first-apply",
  measures: "a first apply with the state in git and in a file",
  run: () =>
    withStores(async (stores) => {
      const cases = Object.entries(stores).map(([store, create]) => [store, () => apply(create)] as const);
      const times = await alternate(rounds, Object.fromEntries(cases));
      const file = times.get("file") ?? [];
      const rows = [...times].map(([store, all]) => {
        const ratios = all.map((ms, at) => ms / (file[at] ?? Number.NaN));
        const seconds = (computeMedian(all) / 1_000).toFixed(2);
        const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
        return [store, seconds, computeMedian(ratios).toFixed(2), `${least} to ${most}`];
      });
      printTable(
        `A first apply of ${objects.toLocaleString("en")} contexts, medians of ${rounds} alternating runs`,
        ["state in", "seconds", "times a file", "in each round"],
        rows,
      );
    }),
};

/** Returns the duration of a first apply, in ms. */
async function apply(create: CreateProject): Promise<number> {
  const folder = await create(objects);
  try {
    return await withEmulator({ world: createEmptyDataset() }, async (_, environment) => {
      const argv = ["apply", "--auto-approve", "--quiet"];
      return (await runCommand(argv, { cwd: folder, environment })).wallMs;
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
