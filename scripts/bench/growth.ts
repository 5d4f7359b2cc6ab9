import { rm } from "node:fs/promises";
import { type ScalingSetup, sizes, toArguments } from "../../test/scaling/sizes.js";
import { type Benchmark, printTable } from "./support/benchmark.js";
import { withEmulator, writeFiles } from "./support/project.js";
import { program, runNode } from "./support/run-node.js";

/** Multiples of the base size. `test/scaling` uses fewer multiples and counts steps instead of time. */
const doublings = [1, 2, 4, 8, 16];

/** Maximum command time. Slower commands are not measured at larger sizes. */
const maxSeconds = 60;

export const growth: Benchmark = {
  name: "growth",
  measures: "time of commands for each doubling of the project, which should grow by at most 2.6",
  async run() {
    for (const [name, { base, begin, commands }] of Object.entries(sizes)) {
      const rows = new Map<string, number[]>(commands.map((command) => [command, []]));
      for (const times of doublings) await measure(begin(base * times), rows);
      const growth = (seconds: readonly number[]) =>
        seconds.slice(1).map((after, at) => {
          const ratio = after / (seconds[at] ?? after);
          return `${ratio.toFixed(1)}${ratio > 2.6 && after > 1 ? " !" : ""}`;
        });
      const shown = [...rows].map(([command, seconds]) => [
        command,
        seconds.map((one) => one.toFixed(1)).join(", "),
        growth(seconds).join(", "),
      ]);
      const largest = (base * (doublings.at(-1) ?? 1)).toLocaleString("en");
      printTable(
        `${base.toLocaleString("en")} to ${largest} ${name}`,
        ["command", "wall s", "growth for each doubling"],
        shown,
      );
    }
  },
};

async function measure(
  { files, edited, replaced, world, profile }: ScalingSetup,
  rows: ReadonlyMap<string, number[]>,
): Promise<void> {
  const cwd = await writeFiles(files);
  await withEmulator(
    { ...(world && { world }), ...(profile && { profile }) },
    async (emulator, environment) => {
      const run = (...argv: string[]) => runNode([program, ...argv], { cwd, environment });
      if (edited) await run("apply", "-y", "--allow", "threshold");
      await writeFiles(edited ?? {}, cwd);
      if (replaced)
        for (const { id, prompt } of emulator.world.contexts)
          emulator.editContext(id, { prompt: prompt.replace(...replaced) });
      for (const [command, seconds] of rows) {
        if ((seconds.at(-1) ?? 0) > maxSeconds) continue;
        seconds.push((await run(...toArguments(command))).wallMs / 1000);
      }
    },
  );
  await rm(cwd, { recursive: true });
}
