import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  openLockable,
  type Part,
  type SwapStore,
  type Versioned,
} from "../../src/core/state/stores/lock-by-swap.js";
import { holder, lock, machine } from "./building.js";

/** Texts in memory. A write of the state looks at the lock, and arrives when `arrival` is over, as in S3. */
function openMemory() {
  const texts = new Map<Part, Versioned>();
  const nothing: Versioned = { text: undefined, version: undefined };
  const at = (part: Part) => texts.get(part) ?? nothing;
  const arrival = { state: Promise.resolve() };
  const store: SwapStore = {
    names: { state: "memory", journal: "its journal", lock: "its lock", restore: "nothing has it" },
    read: async (...parts) => parts.map(at),
    async swap(part, text, seen, { lock }) {
      if (lock && at("lock").version !== lock.version) return undefined;
      if (part === "state" && lock) await arrival.state;
      if (at(part).version !== seen.version) return undefined;
      const written = { text, version: randomUUID() };
      texts.set(part, written);
      return written;
    },
    async *history() {},
  };
  return { store, arrival };
}

test.each([undefined, "before\n"])(
  "a commit that arrives after another has the lock changes nothing (state: %j)",
  async (before) => {
    const { store, arrival } = openMemory();
    const states = openLockable(store, { ...machine(), patienceMs: 10 });
    const take = async () => {
      const hold = await lock(states);
      await hold.read();
      return hold;
    };
    const first = await take();
    if (before !== undefined) await first.commit({ state: before });
    let arrive = () => {};
    arrival.state = new Promise((resolve) => {
      arrive = resolve;
    });
    const late = first.commit({ state: "late\n" });
    const found = await states.findLock(holder());
    if (found) await states.breakLock(found, holder());
    const second = await take();
    arrive();
    await expect(late).rejects.toMatchObject({ code: "lock-lost" });
    await second.commit({ state: "second\n" });
    await second.release();
    expect(await states.read()).toMatchObject({ state: "second\n", lock: undefined });
  },
);
