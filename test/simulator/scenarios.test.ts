import { describe, expect, test } from "vitest";
import { live } from "./run-life.js";
import { scenarios } from "./scenarios.js";

describe("the simulator", () => {
  test.each(scenarios)("$title", async ({ life, breaks }) => {
    const { violations } = await live(life);
    if (breaks) expect(violations.map(({ rule }) => rule)).toContain(breaks);
    else expect(violations).toEqual([]);
  });
});
