import { describe, expect, test } from "vitest";
import { generateLife } from "./generate.js";
import { live } from "./run-life.js";

/** Runs the lives of these seeds and returns the broken promises. To see one: `npm run simulate`. */
async function findBroken(from: number, lives: number): Promise<string[]> {
  const broken: string[] = [];
  for (let seed = from; seed < from + lives; seed++) {
    const { violations } = await live(generateLife(seed));
    broken.push(...violations.map(({ rule, what }) => `seed ${seed}: ${rule}: ${what}`));
  }
  return broken;
}

describe("random lives", () => {
  test("keep every promise in 1,000 lives", async () => {
    expect(await findBroken(1, 1_000)).toEqual([]);
  });

  test("keep every promise in 10,000 further lives", { tags: "night" }, async () => {
    expect(await findBroken(1_001, 10_000)).toEqual([]);
  });
});
