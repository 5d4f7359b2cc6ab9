// @module-tag night
import { describe, expect, test } from "vitest";
import { killAt, race } from "../cli/git-team.js";

describe("state in git", () => {
  test("creates no duplicates if two clones each run 50 applies at the same time", async () => {
    await race(50);
  }, 1_800_000);

  test.each(["before", "after"])(
    "neither loses nor duplicates objects if a run is killed %s any push",
    async (when) => {
      let nth = 1;
      while (await killAt(nth, when)) nth += 1;
      // Expects at least one push for each of lock, intent, outcome, commit and release.
      expect(nth).toBeGreaterThanOrEqual(5);
    },
    600_000,
  );
});
