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
    const waits = world.happenings.filter(({ what }) => what.includes("Waiting up to"));
    expect(waits.length).toBeGreaterThan(0);
    // The creates appear 10 s after they were sent, about 20 s before the deadline.
    expect((second?.endedMs ?? 0) - (second?.startedMs ?? 0)).toBeLessThan(15_000);
  });
});
