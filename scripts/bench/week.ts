import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { createEmptyDataset, type Emulator } from "../../src/emulator/index.js";
import { alternate, type Benchmark, computeMedian, printTable } from "./support/benchmark.js";
import { withEmulator } from "./support/project.js";
import { program, runNode } from "./support/run-node.js";
import { type CreateProject, withStores } from "./support/stores.js";

const objects = 100;
const rounds = 3;

interface Step {
  readonly name: string;
  readonly argv: readonly string[];
  /** Runs before the step. */
  prepare?(project: Project): Promise<void>;
}

interface Project {
  readonly folder: string;
  readonly emulator: Emulator;
}

const steps: readonly Step[] = [
  { name: "apply, creating all", argv: ["apply", "--auto-approve"] },
  { name: "plan, nothing to do", argv: ["plan"] },
  { name: "plan, a prompt changed", argv: ["plan"], prepare: changePrompt },
  { name: "review, the same", argv: ["review", "--dry-run"] },
  { name: "apply, the same", argv: ["apply", "--auto-approve"] },
  { name: "drift, a prompt edited", argv: ["drift"], prepare: editInDashboard },
  {
    name: "rollback, to the first apply",
    argv: ["rollback", "--to", "1", "--auto-approve", "--overwrite-drift"],
  },
];

interface Cost {
  readonly requests: number;
  readonly ms: number;
}

/**
 * Measures the state in a file and in git over file:// and HTTP, all on this machine. Compare only columns of one run,
 * because times depend on the machine and its load.
 */
export const week: Benchmark = {
  name: "week",
  measures: "requests and time of each step of a team's week, by state store",
  run: () =>
    withStores(async (stores) => {
      const cases = Object.entries(stores).map(([store, create]) => [store, () => walk(create)] as const);
      const costs = await alternate(rounds, Object.fromEntries(cases));
      const rows = steps.map(({ name }, at) => {
        const seconds = [...costs.values()].map(
          (all) => computeMedian(all.map((measured) => measured[at]?.ms ?? Number.NaN)) / 1_000,
        );
        const requests = new Set([...costs.values()].flat().map((measured) => measured[at]?.requests));
        const [file = Number.NaN] = seconds;
        const ratio = ((seconds.at(-1) ?? Number.NaN) / file).toFixed(1);
        return [name, [...requests].join(" or "), ...seconds.map((one) => one.toFixed(2)), `${ratio} times`];
      });
      printTable(
        `Requests to the service and seconds of each step of a week, over ${objects} contexts: the state in a file and in git (median of ${rounds})`,
        ["step", "requests", "file, s", "git file://, s", "git HTTP, s", "HTTP to file"],
        rows,
      );
    }),
};

/** Runs all steps once, in a new project and account. */
async function walk(create: CreateProject): Promise<Cost[]> {
  const folder = await create(objects);
  const costs: Cost[] = [];
  try {
    return await withEmulator({ world: createEmptyDataset() }, async (emulator, environment) => {
      for (const { name, argv, prepare } of steps) {
        await prepare?.({ folder, emulator });
        emulator.requests.length = 0;
        const ran = await runNode([program, ...argv], { cwd: folder, environment });
        if (![0, 2].includes(ran.exit)) throw new Error(`${name} exited with ${ran.exit}: ${ran.stderr}`);
        costs.push({ requests: emulator.requests.length, ms: ran.wallMs });
      }
      return costs;
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function changePrompt({ folder }: Project): Promise<void> {
  const file = path.join(folder, "contexts/c00000.md");
  await writeFile(file, (await readFile(file, "utf8")).replace("briefly", "in one sentence"));
}

async function editInDashboard({ emulator }: Project): Promise<void> {
  const [, second] = emulator.world.contexts;
  if (second) emulator.editContext(second.id, { prompt: "Edited in the dashboard." });
}
