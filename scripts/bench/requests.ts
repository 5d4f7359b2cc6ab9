import { rm } from "node:fs/promises";
import { program, runNode, table } from "./child.js";
import { accountOf, withEmulator, writeContexts } from "./project.js";

/** How many requests a plan takes that finds nothing to do. */
export async function requestsOfPlanning(): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const count of [100, 1_000, 10_000]) {
    const world = accountOf(count, 200);
    const folder = await writeContexts([...world.contexts]);
    await withEmulator({ world }, async (_, environment) => {
      const plan = async () => {
        const ran = await runNode([program, "plan", "--format", "json"], { cwd: folder, environment });
        const { requests, summary } = JSON.parse(ran.stdout) as {
          requests: number;
          summary: { keep: number };
        };
        return { requests, keep: summary.keep };
      };
      const cold = await plan();
      await runNode([program, "apply", "--auto-approve", "--quiet"], { cwd: folder, environment });
      const warm = await plan();
      rows.push([count, cold.requests, warm.requests, Math.ceil(count / 100) + 2, warm.keep]);
    });
    await rm(folder, { recursive: true });
  }
  table(
    "Requests of a plan over N declared contexts in an account of N",
    ["N", "cold", "warm", "bound (warm)", "kept (warm)"],
    rows,
  );
}
