import { describe, expect, test } from "vitest";
import { generateLife } from "./generate.js";
import { live } from "./run-life.js";

/** Runs simulated lives with these seeds and returns the violations. To see one: `npm run simulate`. */
async function findBroken(from: number, lives: number): Promise<string[]> {
  const broken: string[] = [];
  for (let seed = from; seed < from + lives; seed++) {
    const { violations } = await live(generateLife(seed));
    broken.push(...violations.map(({ rule, what }) => `seed ${seed}: ${rule}: ${what}`));
  }
  return broken;
}

describe("random simulations", () => {
  test("violate no invariant for 1,000 seeds", async () => {
    expect(await findBroken(1, 1_000)).toEqual([]);
  });

  test("violate no invariant for 10,000 further seeds", { tags: "night", timeout: 3_600_000 }, async () => {
    expect(await findBroken(1_001, 10_000)).toEqual([]);
  });
});
