// @module-tag night
import { describe, expect, test } from "vitest";
import { killAt, race } from "../cli/git-team.js";

describe("state in git", () => {
  test("creates nothing twice if two clones race 50 applies each", async () => {
    await race(50);
  }, 1_800_000);

  test.each(["before", "after"])(
    "loses and duplicates nothing if a run dies %s any push",
    async (when) => {
      let nth = 1;
      while (await killAt(nth, when)) nth += 1;
      // The lock, the intent, the outcome, the commit and the release.
      expect(nth).toBeGreaterThanOrEqual(5);
    },
    600_000,
  );
});
