// @module-tag ci
import { expect, test } from "vitest";
import { countSteps, type Steps } from "./meter.js";

// Must come after the meter, which only counts modules loaded later.
const { startProject } = await import("../cli/hosting.js");
const { sizes, toArguments } = await import("./sizes.js");

/** Multiples of the smallest size. The bench also measures 2 and 16. */
const doublings = [1, 4, 8];
const maxGrowth = 2.6;

/** Minimum number of steps at the larger size for which growth is checked. Smaller numbers are not significant. */
const minSteps = 10_000;

interface Cost {
  readonly steps: Steps;
  readonly total: number;
  readonly requests: number;
}

/** Measures the cost of each command at one size. */
async function measure(name: string, times: number): Promise<Map<string, Cost>> {
  const size = sizes[name];
  if (!size) throw new Error(`no size ${name}`);
  const { base, begin, commands } = size;
  const { files, edited, replaced, world, profile } = begin(base * times);
  const project = await startProject({
    files,
    ...(world && { world }),
    ...(profile && { emulator: { profile } }),
  });
  const { emulator } = project;
  if (edited) await project.expectDone("apply", "-y", "--allow", "threshold");
  for (const [file, text] of Object.entries(edited ?? {})) await project.write(file, text);
  if (replaced)
    for (const { id, prompt } of emulator.world.contexts)
      emulator.editContext(id, { prompt: prompt.replace(...replaced) });
  const costs = new Map<string, Cost>();
  for (const command of commands) {
    const before = emulator.requests.length;
    const steps = await countSteps(async () => {
      // A pipe has no width, so no line is truncated.
      const { exit, stderr } = await project.avataropsWith({ columns: 0 }, ...toArguments(command));
      expect([0, 2], `${command}: ${stderr}`).toContain(exit);
    });
    const total = [...steps.values()].reduce((sum, own) => sum + own, 0);
    costs.set(command, { steps, total, requests: emulator.requests.length - before });
  }
  return costs;
}

/** Returns the costs that grew by more than `maxGrowth` in the last doubling. */
function findSteep(half: Cost, whole: Cost): string[] {
  const isSteep = (before: number, after: number) => before > 0 && after > maxGrowth * before;
  return [
    ...(isSteep(half.total, whole.total) ? [`all steps: ${half.total} to ${whole.total}`] : []),
    ...(isSteep(half.requests, whole.requests) ? [`requests: ${half.requests} to ${whole.requests}`] : []),
    ...[...whole.steps].flatMap(([position, after]) => {
      const before = half.steps.get(position) ?? 0;
      return after > minSteps && before > minSteps / 10 && isSteep(before, after)
        ? [`${position}: ${before} to ${after}`]
        : [];
    }),
  ];
}

test.each(Object.keys(sizes))(
  "needs at most 2.6 times the steps and requests in each command for twice as many %s",
  async (name) => {
    const costs: Map<string, Cost>[] = [];
    for (const times of doublings) costs.push(await measure(name, times));
    const [first, half, whole] = costs;
    for (const [command, cost] of whole ?? []) {
      const [once, before] = [first?.get(command), half?.get(command)];
      if (!once || !before) throw new Error("a command was not measured at each size");
      expect(findSteep(before, cost), command).toEqual([]);
      expect(cost.total / once.total, command).toBeLessThan(maxGrowth ** 3);
    }
  },
);
