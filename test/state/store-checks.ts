import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Holder } from "../../src/core/state/lock-holder.js";
import { type HeldLock, isHeldLock, type StoreBackend } from "../../src/core/state/store-backend.js";

/** Opens the store again at the same location, as another run would. */
type Open = () => Promise<StoreBackend>;

/** Skipped for stores that check the lock and write it in two steps, because two runs can then take it at once. */
export const raceCheck = "gives the lock to one of several runs at once, then to the next";
/** Skipped for stores that cannot fence off a remote holder. */
export const fenceCheck = "takes over an unchanged remote lock with its journal and fences off its holder";

export const checks: Readonly<Record<string, (open: Open) => Promise<void>>> = {
  async "starts empty and creates nothing when it is read"(open) {
    for (const store of [await open(), await open()]) {
      const { state, journal } = await store.read();
      assert.deepEqual([state, journal, await listRecords(store)], [undefined, undefined, []]);
    }
  },
  async [raceCheck](open) {
    const stores = await Promise.all(Array.from({ length: 5 }, open));
    const found = await Promise.all(stores.map((store) => store.tryLock(createHolder())));
    const [hold, ...others] = found.filter(isHeldLock);
    assert.ok(hold && others.length === 0, "not exactly one run got the lock");
    await hold.release();
    await (await acquireLock(open)).release();
  },
  async "can be read without the lock during a run and names its holder"(open) {
    const hold = await acquireLock(open);
    await hold.commit({ state: "state\n" });
    await hold.append(begins);
    const { lock, ...texts } = await (await open()).read();
    assert.deepEqual(texts, { state: "state\n", journal: begins });
    assert.equal(lock?.holder?.command, "avatarops apply");
    await hold.append(ends);
    await hold.release();
  },
  async "lists its history newest first, without duplicates"(open) {
    const hold = await acquireLock(open);
    for (const record of ['"one"', '"one"', '"two"', '"two"', '"three"']) await hold.commit({ record });
    await hold.release();
    assert.deepEqual(await listRecords(await open()), ['"three"', '"two"', '"one"']);
  },
  async "stores 20 MB"(open) {
    const hold = await acquireLock(open);
    const state = `${"ä".repeat(10_000_000)}\n`;
    await hold.commit({ state });
    await hold.release();
    assert.ok((await (await open()).read()).state === state, "the text read differs from the text written");
  },
  async "rejects reads and writes of a run whose lock another run took"(open) {
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
    const hold = await acquireLock(open);
    const store = await open();
    const lookAgain = async () => {
      const found = await store.tryLock(createHolder());
      assert.ok(!isHeldLock(found), "the store is not locked");
      return found;
    };
    const before = await lookAgain();
    await hold.append(begins);
    assert.equal(await before.takeOver?.(), undefined, "a changed lock was taken over");
    const found = await lookAgain();
    assert.notEqual(found.version, before.version);
    const taken = await found.takeOver?.();
    assert.ok(taken, "the lock was not taken over");
    await assert.rejects(hold.append(ends), isLost);
    await assert.rejects(hold.commit({ state: "first\n" }), isLost);
    await hold.release().catch(() => undefined);
    assert.ok((await taken.read()).journal?.startsWith(begins), "the journal is lost");
    await taken.commit({ state: "second\n", record: '"next"' });
    await taken.release();
    const { state, journal } = await (await open()).read();
    assert.deepEqual([state, journal], ["second\n", undefined]);
  },
};

const service = "https://example.com";
const at = "2026-01-02T03:04:05.000Z";
const intend = { address: "context.a", action: "create", label: "a", sent: {}, known: [], at };
/** Journal that starts a write, and the line that ends the write. */
const begins = `${JSON.stringify({ journal: 1, id: "j", lineage: "l", serial: 0, service, requestTimeoutMs: 30_000 })}\n${JSON.stringify([{ intend }])}\n`;
const ends = '[{"refuse":"context.a"}]\n';

/** A lost lock may also appear as a conflicting write. */
const isLost = { code: /^(lock-lost|conflict)$/ };

/** Creates the lock holder of a run on another machine. */
export function createHolder(): Holder {
  return { id: randomUUID(), pid: 7, host: "runner", since: at, command: "avatarops apply" };
}

/** @throws Error if the store is locked. */
export async function lock(store: StoreBackend): Promise<HeldLock> {
  const found = await store.tryLock(createHolder());
  if (isHeldLock(found)) return found;
  throw new Error(`The store is locked: ${JSON.stringify(found)}`);
}

async function acquireLock(open: Open): Promise<HeldLock> {
  const hold = await lock(await open());
  await hold.read();
  return hold;
}

/** Removes another run's lock and takes it. */
async function takeAway(open: Open): Promise<HeldLock> {
  const store = await open();
  const found = await store.findLock(createHolder());
  assert.ok(found, "the lock was not found");
  await store.breakLock(found, createHolder());
  return acquireLock(open);
}

export async function listRecords(store: Pick<StoreBackend, "readHistory">): Promise<string[]> {
  const records: string[] = [];
  for await (const record of store.readHistory()) records.push(record);
  return records;
}
