import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleWithSwitches } from "./bundle.js";
import type * as Simulator from "./index.js";
import { type KnockOut, knockOuts } from "./knock-outs.js";
import type { Life } from "./life.js";
import { scenarios } from "./scenarios.js";

const maxLives = 10_000;
const scope = globalThis as { takenOut?: string | undefined };
let simulator: typeof Simulator;
let remove = () => {};

beforeAll(async () => {
  const bundle = await bundleWithSwitches("index.ts");
  remove = bundle.remove;
  simulator = await import(pathToFileURL(bundle.file).href);
});

afterAll(() => remove());

/** Returns the invariants that the simulated life with this seed violates. Disables `rule` if given. */
function findBroken(seed: number, rule?: string): Promise<string[]> {
  return findBrokenBy(simulator.generateLife(seed), rule);
}

async function findBrokenBy(life: Life, rule?: string): Promise<string[]> {
  scope.takenOut = rule;
  try {
    const { violations } = await simulator.live(life);
    return violations.map((violation) => violation.rule);
  } finally {
    scope.takenOut = undefined;
  }
}

async function isShownBy(seed: number, { rule, breaks }: KnockOut): Promise<boolean> {
  const broken = await findBroken(seed, rule);
  return breaks.some((invariant) => broken.includes(invariant));
}

describe("simulator", () => {
  test.each(knockOuts)("finds a violation with this rule disabled: $rule", async (knockOut) => {
    const { seed } = knockOut;
    expect(await findBroken(seed)).toEqual([]);
    expect(await isShownBy(seed, knockOut)).toBe(true);
  });

  test.each(scenarios.filter(({ needs }) => needs !== undefined))(
    "finds a violation in a scenario with this rule disabled: $needs",
    async ({ needs, life }) => {
      const breaks = knockOuts.find(({ rule }) => rule === needs)?.breaks ?? [];
      expect(await findBrokenBy(life, needs)).toContainEqual(expect.toBeOneOf([...breaks]));
    },
  );

  test.each(knockOuts)(
    "finds a violation within 10,000 simulations with this rule disabled: $rule",
    { tags: "night", timeout: 1_800_000 },
    async (knockOut) => {
      let seed = 1;
      while (seed <= maxLives && !(await isShownBy(seed, knockOut))) seed++;
      expect(seed).toBeLessThanOrEqual(maxLives);
    },
  );
});
