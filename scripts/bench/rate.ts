import { rm } from "node:fs/promises";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { type Benchmark, printTable } from "./support/benchmark.js";
import { createPrompt, withEmulator, writeContexts } from "./support/project.js";
import { program, runNode } from "./support/run-node.js";

const creates = 1_000;

export const applyRate: Benchmark = {
  name: "rate",
  measures: "use of a service's rate limit by an apply, and 429 responses",
  async run() {
    const rows: (string | number)[][] = [];
    for (const allowed of [20, 50, 200]) {
      const folder = await writeContexts(
        Array.from({ length: creates }, (_, at) => ({
          name: `Context ${at}`,
          prompt: createPrompt(at, 2_000),
        })),
      );
      const behavior = { rateLimitPerSecond: allowed };
      await withEmulator({ world: createEmptyDataset(), behavior }, async (emulator, environment) => {
        await runNode([program, "apply", "--auto-approve", "--quiet"], { cwd: folder, environment });
        const posts = emulator.requests.filter(({ method }) => method === "POST");
        const throttled = posts.filter(({ status }) => status === 429).length;
        const made = posts.length - throttled;
        const seconds = ((posts.at(-1)?.at ?? 0) - (posts[0]?.at ?? 0)) / 1000;
        rows.push([allowed, made, seconds.toFixed(1), (made / seconds / allowed).toFixed(2), throttled]);
      });
      await rm(folder, { recursive: true });
    }
    printTable(
      `Applying ${creates.toLocaleString("en")} creates`,
      ["allowed /s", "created", "seconds", "share of allowed", "429"],
      rows,
    );
  },
};
