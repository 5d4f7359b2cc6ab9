// @module-tag night
/**
 * Runs real processes with random commands and faults. Applies and syncs are killed or suspended while other processes
 * unlock, take over and apply. The service is slow and would accept a second object with the same name.
 *
 * Each store gets 25 random runs, with new seeds every day (`LIVES=75` for more, `FUZZ_SEED=1701 LIVES=1` to repeat
 * one).
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lifeStores } from "./life-stores.js";
import { type LifeResult, runLife } from "./live.js";
import { describeLife, generateLife } from "./random-life.js";

const firstSeed = Number(process.env.FUZZ_SEED ?? Math.floor(Date.now() / 86_400_000) * 1_000);
const lives = Number(process.env.LIVES ?? 25);
/** Number of concurrent random runs, which mostly wait. */
const lanes = 6;

describe.each(lifeStores.map((store) => [store.name, store] as const))(
  "processes that share a state in %s",
  (name, { tags, isFile, start }) => {
    let store: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      store = await start();
    });
    afterAll(() => store?.close());

    test("create no duplicates if they are killed or suspended at any time", {
      tags: [...tags],
      timeout: 12 * 3_600_000,
    }, async () => {
      const beganMs = Date.now();
      console.log(`${name}: ${lives} lives from seed ${firstSeed}`);
      const ended: LifeResult[] = [];
      const broken: string[] = [];
      const seeds = Array.from({ length: lives }, (_, at) => firstSeed + at);
      const work = async () => {
        for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
          const life = generateLife(seed, !isFile);
          const lived = await runLife(life, store.newState()).catch((error: Error) => {
            throw new Error(`${describeLife(life)}: ${error.message}`, { cause: error });
          });
          ended.push(lived);
          if (lived.violations.length > 0)
            broken.push([describeLife(life), ...lived.violations, lived.report].join("\n"));
        }
      };
      await Promise.all(Array.from({ length: lanes }, work));
      const sum = (count: (lived: LifeResult) => number) =>
        ended.reduce((all, lived) => all + count(lived), 0);
      const [died, slept, lost, noticed] = (["died", "slept", "lost", "noticed"] as const).map((what) =>
        sum((lived) => lived[what]),
      );
      const took = Math.round((Date.now() - beganMs) / 1_000);
      console.log(
        `${name}: ${lives} lives in ${took} s: ${died} died, ${slept} slept, ${lost} locks removed or taken over, ${noticed} noticed`,
      );
      expect(broken).toEqual([]);
      // Asserts that enough faults occurred.
      if (lives >= 20) expect(Math.min(died ?? 0, slept ?? 0, lost ?? 0)).toBeGreaterThan(lives / 5);
    });
  },
);
