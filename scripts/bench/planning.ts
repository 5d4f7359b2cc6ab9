import { rm } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { nodeSystem } from "../../src/base/system/index.js";
import { openService, restrictToReads } from "../../src/core/api/index.js";
import { observe, plan } from "../../src/core/engine/index.js";
import { openStore } from "../../src/core/state/index.js";
import { loadManifest } from "../../src/review/policy/index.js";
import { type Benchmark, printTable } from "./support/benchmark.js";
import { createAccount, withEmulator, writeContexts } from "./support/project.js";
import { program, runNode } from "./support/run-node.js";

const contexts = 10_000;
const promptBytes = 8_192;

export const planning: Benchmark = {
  name: "planning",
  measures: "time and memory of plans of 10,000 contexts, and the parts of a plan",
  async run() {
    const world = createAccount(contexts, promptBytes);
    const folder = await writeContexts([...world.contexts]);
    const rows: (string | number)[][] = [];
    const parts: (string | number)[][] = [];
    await withEmulator({ world }, async (emulator, environment) => {
      const measure = async (what: string, args: string[]) => {
        const ran = await runNode([program, ...args], { cwd: folder, environment, withMemory: true });
        rows.push([what, ran.exit, (ran.wallMs / 1000).toFixed(1), Math.round(ran.peakMb ?? Number.NaN)]);
      };
      await measure("validate", ["validate", "--quiet"]);
      await measure("plan, cold (list + N reads)", ["plan", "--quiet", "--format", "json"]);
      parts.push(["cold", ...(await split(folder, emulator.url))]);
      await measure("apply (adopts all, writes nothing)", ["apply", "--auto-approve", "--quiet"]);
      await measure("plan, warm", ["plan", "--quiet"]);
      parts.push(["warm", ...(await split(folder, emulator.url))]);
    });
    await rm(folder, { recursive: true });
    const title = `${contexts.toLocaleString("en")} contexts with prompts of ${promptBytes.toLocaleString("en")} bytes`;
    printTable(`${title}, whole processes`, ["command", "exit", "wall s", "peak MB"], rows);
    printTable(
      `${title}, parts of a plan in seconds`,
      ["plan", "reading files", "observing", "comparing"],
      parts,
    );
  },
};

/** Measures how long each step of a plan takes in this process. */
async function split(folder: string, baseUrl: string): Promise<string[]> {
  const times = [performance.now()];
  const { manifest } = await loadManifest({ allowCode: true, cwd: folder });
  if (!manifest) throw new Error("Bug: the benchmark project is invalid");
  times.push(performance.now());
  const store = openStore(`${folder}/.avatarops/state.json`, {
    allowCode: true,
    root: folder,
    system: nodeSystem,
    pid: process.pid,
    host: "bench",
  });
  const state = (await store.read())?.state;
  const service = openService({ baseUrl, apiKey: "test-key", system: nodeSystem });
  const observation = await observe({
    manifest,
    state,
    service: restrictToReads(service),
    sources: { root: folder, allowCode: false, environment: {}, system: nodeSystem },
    refresh: "auto",
    system: nodeSystem,
  });
  times.push(performance.now());
  plan(manifest, state, observation, { service: service.baseUrl });
  times.push(performance.now());
  await service.close();
  return times.slice(1).map((time, at) => ((time - (times[at] ?? time)) / 1000).toFixed(2));
}
