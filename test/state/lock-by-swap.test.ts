import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import { getRequestLimitMs, withRetries } from "../../src/core/state/retry.js";
import { createUnreachableError } from "../../src/core/state/stores/errors.js";
import {
  openLockable,
  type StoredPart,
  type SwapStore,
  type VersionedText,
} from "../../src/core/state/stores/lock-by-swap.js";
import { createIntent, createMachine, holder, lock, service } from "./building.js";

/** Opens an in-memory store. As in S3, a state write checks the lock when sent, but may arrive later (`arrival`). */
function openMemory() {
  const texts = new Map<StoredPart, VersionedText>();
  const nothing: VersionedText = { text: undefined, version: undefined };
  const at = (part: StoredPart) => texts.get(part) ?? nothing;
  const arrival = { state: Promise.resolve() };
  /** State writes that got no response. They take effect when called. */
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
      throw createUnreachableError("memory", "the response is lost");
    },
    async *readHistory() {},
  };
  return { store, arrival, late, isLost };
}

test.each([undefined, "before\n"])(
  "ignores a state write that arrives after another run took the lock (state before: %j)",
  async (before) => {
    const { store, arrival } = openMemory();
    const states = openLockable(store, { ...createMachine(), patienceMs: 10 });
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

test("ignores a state write that arrives after its run released the lock", async () => {
  const { store, late, isLost } = openMemory();
  const states = openLockable(store, { ...createMachine(), patienceMs: 10 });
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

test("takes over a disconnected remote run's lock and closes its journal", async () => {
  const connected = new Set<string>();
  const store: SwapStore = {
    ...openMemory().store,
    sessionLocks: {
      take: async (id) => connected.add(id) !== undefined,
      isFree: async (id) => !connected.has(id),
      release: async () => {},
    },
  };
  const states = openLockable(store, createMachine());
  const killed = await lock(states);
  await killed.read();
  const header = { journal: 1, id: "j", lineage: "line", serial: 0, service, requestTimeoutMs: 30_000 };
  await killed.append(
    `${JSON.stringify(header)}\n${JSON.stringify([{ intend: createIntent("context.a") }])}\n`,
  );
  expect(await states.tryLock(holder())).toMatchObject({ status: "elsewhere" });
  connected.clear();
  expect(await states.read()).toMatchObject({ lock: { status: "dead" } });
  const next = await lock(states);
  expect((await next.read()).journal).toContain('[{"unlocked":"2023-11-14T22:13:20.000Z"}]');
  await expect(killed.append("[]\n")).rejects.toMatchObject({ code: "lock-lost" });
});

/** Opens a store in virtual time that can stop responding. Each request then times out. */
function openSilent() {
  const clock = { ms: 0 };
  const sleep = async (ms: number) => {
    clock.ms += ms;
  };
  const system = { ...nodeSystem, monotonic: () => clock.ms, sleep };
  const environment = { ...createMachine(), system, patienceMs: 30_000 };
  const memory = openMemory().store;
  const server = { isSilent: false, requests: 0 };
  async function request<Result>(work: () => Promise<Result>): Promise<Result> {
    server.requests += 1;
    if (!server.isSilent) return work();
    clock.ms += getRequestLimitMs(environment);
    throw createUnreachableError("memory", "it does not respond");
  }
  const store: SwapStore = {
    ...memory,
    read: (...parts) => withRetries(environment, () => request(() => memory.read(...parts))),
    swap: (...given) => request(() => memory.swap(...given)),
  };
  return { states: openLockable(store, environment), clock, server };
}

test("stops waiting for a silent store after at most 34 s, regardless of the number of requests", async () => {
  const { states, clock, server } = openSilent();
  const hold = await lock(states);
  await hold.read();
  const beganMs = clock.ms;
  server.isSilent = true;
  for (let append = 0; append < 10; append++)
    await expect(hold.append("outcome\n")).rejects.toMatchObject({ code: "unreachable" });
  await expect(hold.release()).rejects.toMatchObject({ code: "unreachable" });
  expect((clock.ms - beganMs) / 1_000).toBeGreaterThanOrEqual(30);
  expect((clock.ms - beganMs) / 1_000).toBeLessThanOrEqual(34);
  const { requests } = server;
  server.isSilent = false;
  await expect(states.read()).rejects.toMatchObject({ code: "unreachable" });
  expect(server.requests).toBe(requests);
});

test.each([3, 31])("reads a store again after an outage of %i s", async (seconds) => {
  const { states, clock, server } = openSilent();
  server.isSilent = true;
  await expect(states.read()).rejects.toMatchObject({ code: "unreachable" });
  await expect(states.read()).rejects.toMatchObject({ code: "unreachable" });
  clock.ms += seconds * 1_000;
  server.isSilent = false;
  expect(await states.read()).toEqual({ state: undefined, journal: undefined, lock: undefined });
});
