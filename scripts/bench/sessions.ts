import { rm } from "node:fs/promises";
import path from "node:path";
import {
  type Behavior,
  createEmptyDataset,
  createEndedSessions,
  type Emulator,
} from "../../src/emulator/index.js";
import { type Benchmark, printTable } from "./support/benchmark.js";
import { withEmulator, writeContexts } from "./support/project.js";
import { program, runNode } from "./support/run-node.js";

/** Session counts. The smallest one shows the cost of the process itself. */
const sizes = [1_000, 10_000, 100_000];
const orders: readonly Behavior["listOrder"][] = ["newest", "created", "updated", "shuffled"];
const list = ["list", "--type", "historic"];
const json = [...list, "--format", "json"];
/** Commands to measure. The sample sessions start three minutes apart, so 100,000 sessions cover seven months. */
const commands: readonly (readonly string[])[] = [
  json,
  [...json, "--since", "7d"],
  ["report", "--since", "30d"],
  ["report", "--since", "365d"],
];

const head = ["command", "exit", "requests", "wall s", "peak MB", "held MB"];

export const sessions: Benchmark = {
  name: "sessions",
  measures: "requests, time and memory of the session list and report",
  async run() {
    const folder = await writeContexts([]);
    const rows: (string | number)[][] = [];
    const measure = async (count: number, listOrder: Behavior["listOrder"], args: readonly string[]) => {
      const world = { ...createEmptyDataset(), sessions: createEndedSessions(count, Date.now()) };
      await withEmulator({ world, behavior: { listOrder } }, async (emulator, environment) => {
        const measured = await measureRun(emulator, args, folder, environment);
        rows.push([count.toLocaleString("en"), listOrder, ...measured]);
      });
    };
    for (const args of commands) for (const count of sizes) await measure(count, "newest", args);
    for (const order of orders) await measure(100_000, order, json);
    await rm(folder, { recursive: true });
    printTable("avatarops sessions, written to a file", ["sessions", "order of the list", ...head], rows);
  },
};

async function measureRun(
  { requests }: Emulator,
  args: readonly string[],
  cwd: string,
  environment: Record<string, string>,
): Promise<(string | number)[]> {
  const run = (how: Parameters<typeof runNode>[1]) =>
    runNode([program, "sessions", ...args], {
      ...{ cwd, environment, stdoutFile: path.join(cwd, "sessions") },
      ...how,
    });
  const { exit, wallMs, peakMb = Number.NaN } = await run({ withMemory: true });
  const sent = requests.length;
  const { heldMb = Number.NaN } = await run({ withHeld: true });
  return [args.join(" "), exit, sent, (wallMs / 1000).toFixed(1), Math.round(peakMb), heldMb.toFixed(1)];
}
