import { describe, expect, test } from "vitest";
import { live } from "./run-life.js";
import { scenarios } from "./scenarios.js";

describe("simulator", () => {
  test.each(scenarios)("$title", async ({ life }) => {
    expect((await live(life)).violations).toEqual([]);
  });
});
