import { describe, expect, test } from "vitest";
import { live } from "./run-life.js";
import { recovery, scenarios } from "./scenarios.js";

describe("simulator", () => {
  test.each(scenarios)("$title", async ({ life }) => {
    expect((await live(life)).violations).toEqual([]);
  });

  test("stops waiting for an interrupted run's creates as soon as the service lists all of them", async () => {
    const { violations, world } = await live(recovery, { isTraced: true });
    expect(violations).toEqual([]);
    const [, second] = world.processes;
    const waits = world.happenings.flatMap(({ what }) => (what.includes("Waiting up to") ? [what] : []));
    expect(waits).toEqual([
      "p2: Waiting up to 30 s: an interrupted run may still be creating context.c1, context.c2, context.c3.",
    ]);
    // The creates appear 10 s after they were sent, about 20 s before the deadline.
    expect((second?.endedMs ?? 0) - (second?.startedMs ?? 0)).toBeLessThan(15_000);
  });

  test("reads the list of an interrupted run's creates after 0.25 s, then at intervals that double up to 4 s", async () => {
    const { world } = await live(recovery, { isTraced: true });
    const readMs = world.happenings
      .filter(({ what }) => what.startsWith("p2 reads /v1/contexts?"))
      .map(({ atMs }) => atMs);
    // Each read also takes up to 210 ms.
    const pauses = readMs
      .slice(1)
      .map((atMs, at) => [250, 500, 1_000, 2_000, 4_000].findLast((ms) => ms <= atMs - (readMs[at] ?? 0)));
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000]);
  });
});
