import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Holder } from "../../src/core/state/lock-holder.js";
import { type HeldLock, isHeldLock, type StoreBackend } from "../../src/core/state/store-backend.js";

/** Opens a store once more at the same place, as another run would. */
type Open = () => Promise<StoreBackend>;

/** Stores that check a condition and write in two steps let two runs win. */
export const raceCheck = "is written by one of many runs that want it at once, then by the next";
/** Some stores cannot fence off a holder elsewhere. */
export const fenceCheck =
  "is taken over from a run elsewhere while it is unchanged, with its journal, and that run then writes nothing";

export const checks: Readonly<Record<string, (open: Open) => Promise<void>>> = {
  async "is empty at first, and reading it creates nothing"(open) {
    for (const store of [await open(), await open()]) {
      const { state, journal } = await store.read();
      assert.deepEqual([state, journal, await recordsIn(store)], [undefined, undefined, []]);
    }
  },
  async [raceCheck](open) {
    const stores = await Promise.all(Array.from({ length: 5 }, open));
    const found = await Promise.all(stores.map((store) => store.tryLock(createHolder())));
    const [hold, ...others] = found.filter(isHeldLock);
    assert.ok(hold && others.length === 0, "not exactly one run got the lock");
    await hold.release();
    await (await lockedBy(open)).release();
  },
  async "is read without the lock while a run writes, and says who that is"(open) {
    const hold = await lockedBy(open);
    await hold.commit({ state: "state\n" });
    await hold.append(begins);
    const { lock, ...texts } = await (await open()).read();
    assert.deepEqual(texts, { state: "state\n", journal: begins });
    assert.equal(lock?.holder?.command, "avatarops apply");
    await hold.append(ends);
    await hold.release();
  },
  async "has its history newest first, and a record that is stored twice once"(open) {
    const hold = await lockedBy(open);
    for (const record of ['"one"', '"one"', '"two"', '"two"', '"three"']) await hold.commit({ record });
    await hold.release();
    assert.deepEqual(await recordsIn(await open()), ['"three"', '"two"', '"one"']);
  },
  async "may have 20 MB"(open) {
    const hold = await lockedBy(open);
    const state = `${"ä".repeat(10_000_000)}\n`;
    await hold.commit({ state });
    await hold.release();
    assert.ok((await (await open()).read()).state === state, "another text is read than was written");
  },
  async "is not written by a run from which another took the lock, before it had read or after"(open) {
    const first = await lock(await open());
    const second = await takeAway(open);
    await assert.rejects(first.read(), { code: "lock-lost" });
    const third = await takeAway(open);
    await assert.rejects(second.append(begins), isLost);
    assert.equal((await third.read()).journal, undefined);
    await third.append(begins);
    await assert.rejects(second.commit({ state: "second\n" }), isLost);
    await third.commit({ state: "third\n" });
    await third.release();
    const { state, journal } = await (await open()).read();
    assert.deepEqual([state, journal], ["third\n", undefined]);
  },
  async [fenceCheck](open) {
    const hold = await lockedBy(open);
    const store = await open();
    const lookAgain = async () => {
      const found = await store.tryLock(createHolder());
      assert.ok(!isHeldLock(found), "it is not locked");
      return found;
    };
    const before = await lookAgain();
    await hold.append(begins);
    assert.equal(await before.takeOver?.(), undefined, "it is taken over although it has changed");
    const found = await lookAgain();
    assert.notEqual(found.version, before.version);
    const taken = await found.takeOver?.();
    assert.ok(taken, "it is not taken over");
    await assert.rejects(hold.append(ends), isLost);
    await assert.rejects(hold.commit({ state: "first\n" }), isLost);
    await hold.release().catch(() => undefined);
    assert.ok((await taken.read()).journal?.startsWith(begins), "its journal is lost");
    await taken.commit({ state: "second\n", record: '"next"' });
    await taken.release();
    const { state, journal } = await (await open()).read();
    assert.deepEqual([state, journal], ["second\n", undefined]);
  },
};

const service = "https://example.com";
const at = "2026-01-02T03:04:05.000Z";
const intend = { address: "context.a", action: "create", label: "a", sent: {}, known: [], at };
/** A journal that begins a write, and what ends it. */
const begins = `${JSON.stringify({ journal: 1, id: "j", lineage: "l", serial: 0, service, requestTimeoutMs: 30_000 })}\n${JSON.stringify([{ intend }])}\n`;
const ends = '[{"refuse":"context.a"}]\n';

/** That somebody else wrote is as good a reason as that somebody took the lock. */
const isLost = { code: /^(lock-lost|conflict)$/ };

/** A run elsewhere. */
export function createHolder(): Holder {
  return { id: randomUUID(), pid: 7, host: "runner", since: at, command: "avatarops apply" };
}

/** @throws Error if it is locked. */
export async function lock(store: StoreBackend): Promise<HeldLock> {
  const found = await store.tryLock(createHolder());
  if (isHeldLock(found)) return found;
  throw new Error(`It is locked: ${JSON.stringify(found)}`);
}

async function lockedBy(open: Open): Promise<HeldLock> {
  const hold = await lock(await open());
  await hold.read();
  return hold;
}

/** Removes the lock of another run, and takes it. */
async function takeAway(open: Open): Promise<HeldLock> {
  const store = await open();
  const found = await store.findLock(createHolder());
  assert.ok(found, "the lock cannot be seen");
  await store.breakLock(found, createHolder());
  return lockedBy(open);
}

export async function recordsIn(store: Pick<StoreBackend, "history">): Promise<string[]> {
  const records: string[] = [];
  for await (const record of store.history()) records.push(record);
  return records;
}
