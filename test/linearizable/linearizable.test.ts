import { afterAll, describe, expect, test } from "vitest";
import { isLong } from "../real/long.js";
import { makeMutant, mutants } from "./mutants.js";
import { judge } from "./porcupine.js";
import {
  busyPace,
  Clients,
  countOverlaps,
  createRandom,
  describeHistory,
  fastPace,
  recordHistory,
  type Step,
} from "./record-history.js";
import { type SharedStore, sharedStores } from "./shared-stores.js";

/*
 * Runs eight processes on one state, while some are killed or suspended, clocks jump, and messages are lost or late.
 * The independent tool Porcupine decides whether each history is linearizable: no lost update, no stale read, no write
 * after another run took the lock.
 *
 * Each long run records 250 new histories per store. `HISTORIES=2000` records 2,000 at once.
 */

const today = Math.floor(Date.now() / 86_400_000);
const seed = Number(process.env.FUZZ_SEED ?? (isLong ? today : 20261123));
const pace = isLong ? busyPace : fastPace;

/** Client processes for all stores. */
const clients = new Clients();
afterAll(() => clients.stop());

/** Records histories of a store, a few at a time, until `isEnough` returns true for a batch. */
async function record(
  { start, inEveryRun }: SharedStore,
  clients: Clients,
  isEnough: (recorded: readonly Step[][]) => boolean,
): Promise<void> {
  const { newState, close } = await start();
  const random = createRandom((seed % 2 ** 32) / 2 ** 32);
  try {
    for (let isDone = false; !isDone; ) {
      const recorded: Step[][] = [];
      while (recorded.length < Math.min(25, inEveryRun))
        recorded.push(await recordHistory(newState(), clients, random, pace));
      isDone = isEnough(recorded);
    }
  } finally {
    await close();
  }
}

describe.each(sharedStores)("state in $name", (store) => {
  test("is linearizable for all clients", {
    tags: ["night", "porcupine", ...store.tags],
    ...(isLong && { timeout: 12 * 3_600_000 }),
  }, async () => {
    const histories = Number(process.env.HISTORIES ?? (isLong ? 250 : store.inEveryRun));
    let made = 0;
    let done = 0;
    let kills = 0;
    let overlaps = 0;
    const before = clients.sleeps;
    await record(store, clients, (recorded) => {
      const { illegal, undecided } = judge(recorded);
      expect(illegal.map((number) => describeHistory(recorded[number] ?? []))).toEqual([]);
      expect(undecided).toBe(0);
      made += recorded.length;
      kills += recorded.flat().filter(({ op }) => op === "kill").length;
      overlaps += recorded.reduce((sum, steps) => sum + countOverlaps(steps), 0);
      done += recorded.flat().filter(({ op, ok }) => op === "intent" && ok).length;
      return made >= histories;
    });
    // Checks that the histories contain enough intents, kills and sleeps.
    expect(done).toBeGreaterThan(made / 2);
    expect(kills).toBeGreaterThan(made / 2);
    const sleeps = clients.sleeps - before;
    if (isLong) expect(sleeps).toBeGreaterThan(made / 4);
    console.log(
      `${store.name}: ${made} histories, ${kills} kills, ${sleeps} sleeps, ${overlaps} pairs of steps overlap`,
    );
  });
});

test.each(mutants)("finds the mutated code exactly once in the build: $what", (mutant) => {
  makeMutant(mutant).remove();
});

describe("mutated library", { tags: "night" }, () => {
  test.each(mutants)(
    "is detected within 200 histories in $store: $what",
    async (mutant) => {
      const store = sharedStores.find(({ name }) => name === mutant.store);
      if (!store) throw new Error(`${mutant.store} is unknown`);
      const { module, remove } = makeMutant(mutant);
      const mutantClients = new Clients(module);
      let [made, found] = [0, 0];
      try {
        await record(store, mutantClients, (recorded) => {
          made += recorded.length;
          found += judge(recorded).illegal.length;
          return found > 0 || made >= 200;
        });
      } finally {
        mutantClients.stop();
        remove();
      }
      expect(found).toBeGreaterThan(0);
      console.log(`${mutant.what}: ${found} of ${made} histories`);
    },
    3_600_000,
  );
});
