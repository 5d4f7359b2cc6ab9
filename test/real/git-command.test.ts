// @module-tag night
import { describe, expect, test } from "vitest";
import { killAt, race } from "../cli/git-team.js";

describe("a state in git", () => {
  test("survives two clones that race 50 applies each: nothing is created twice, and each apply is a commit", async () => {
    await race(50);
  }, 1_800_000);

  test.each(["before", "after"])(
    "loses nothing and creates nothing twice if a run dies %s any push",
    async (when) => {
      let nth = 1;
      while (await killAt(nth, when)) nth += 1;
      // The lock, the intent, the outcome, the commit, the release.
      expect(nth).toBeGreaterThanOrEqual(5);
    },
    600_000,
  );
});
