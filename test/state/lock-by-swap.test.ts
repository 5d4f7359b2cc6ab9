import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { unreachable } from "../../src/core/state/stores/errors.js";
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
  /** Writes of the state without a response, which arrive when they are called. */
  const late: (() => void)[] = [];
  const isLost = { state: false };
  const store: SwapStore = {
    names: { state: "memory", journal: "its journal", lock: "its lock", restore: "nothing has it" },
    read: async (...parts) => parts.map(at),
    async swap(part, text, seen, { lock }) {
      if (lock && at("lock").version !== lock.version) return undefined;
      if (part === "state" && lock) await arrival.state;
      const write = () => {
        if (at(part).version !== seen.version) return undefined;
        const written = { text, version: randomUUID() };
        texts.set(part, written);
        return written;
      };
      if (part !== "state" || !isLost.state) return write();
      late.push(write);
      throw unreachable("memory", "the response is lost");
    },
    async *history() {},
  };
  return { store, arrival, late, isLost };
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

test("a commit without a response that arrives after its run released the lock changes nothing", async () => {
  const { store, late, isLost } = openMemory();
  const states = openLockable(store, { ...machine(), patienceMs: 10 });
  const first = await lock(states);
  await first.read();
  await first.commit({ state: "first\n" });
  isLost.state = true;
  await expect(first.commit({ state: "late\n" })).rejects.toMatchObject({ code: "unreachable" });
  isLost.state = false;
  await first.release();
  const second = await lock(states);
  expect((await second.read()).state?.trim()).toBe("first");
  expect(late.length).toBeGreaterThan(0);
  for (const arrive of late) arrive();
  await second.commit({ state: "second\n" });
  await second.release();
  expect((await states.read()).state).toBe("second\n");
});
