import { rm } from "node:fs/promises";
import path from "node:path";
import { type Behavior, createEmptyDataset, type Dataset } from "../../src/emulator/index.js";
import { type Benchmark, printTable } from "./support/benchmark.js";
import { createAccount, withEmulator, writeContexts } from "./support/project.js";
import { program, runNode } from "./support/run-node.js";

export const requests: Benchmark = {
  name: "requests",
  measures: "requests of plans and applies",
  async run() {
    const rows: (string | number)[][] = [];
    for (const count of [100, 1_000, 10_000]) {
      const world = createAccount(count, 200);
      const folder = await writeContexts([...world.contexts]);
      const cold = await countRequests(folder, world, {}, ["plan"]);
      const warm = await countRequests(folder, world, {}, ["apply", "plan"]);
      const fine = await countAfterCreating(folder, { timestampPrecision: "ms" });
      const coarse = await countAfterCreating(folder, { timestampPrecision: "s" });
      rows.push([count, cold, warm, ...fine, ...coarse, Math.ceil(count / 100) + 2]);
      await rm(folder, { recursive: true });
    }
    printTable(
      "Requests for N declared contexts in an account with N, for an apply that creates N, and for the next plan",
      ["N", "plan, cold", "plan, warm", "apply (ms)", "plan after", "apply (s)", "plan after", "bound"],
      rows,
    );
  },
};

/** Counts the requests of an apply that creates all contexts, and of the next plan. */
async function countAfterCreating(folder: string, behavior: Partial<Behavior>): Promise<[number, number]> {
  const applied = await countRequests(folder, createEmptyDataset(), behavior, ["apply"]);
  const planned = await countRequests(folder, createEmptyDataset(), behavior, ["apply", "plan"]);
  return [applied, planned];
}

/** Runs the commands on a new state and account. Returns the last command's request count. */
async function countRequests(
  folder: string,
  world: Dataset,
  behavior: Partial<Behavior>,
  commands: readonly ("apply" | "plan")[],
): Promise<number> {
  await rm(path.join(folder, ".avatarops"), { recursive: true, force: true });
  return withEmulator({ world, behavior }, async (emulator, environment) => {
    for (const command of commands) {
      emulator.requests.length = 0;
      const flags = command === "apply" ? ["--auto-approve", "--quiet"] : ["--detailed-exitcode", "--quiet"];
      const { exit, stderr } = await runNode([program, command, ...flags], { cwd: folder, environment });
      if (exit !== 0 && commands.length > 1) throw new Error(`${command} exited with ${exit}: ${stderr}`);
    }
    return emulator.requests.length;
  });
}
