import { afterEach, expect, test, vi } from "vitest";
import { LockedError } from "../../src/core/state/index.js";
import { takeLock } from "../../src/core/state/lock.js";
import type { FoundLock, StoreBackend } from "../../src/core/state/store-backend.js";
import { namesOf } from "./building.js";

/** A clock that only waiting and asking move. */
const clock = vi.hoisted(() => ({ ms: 0, pauses: [] as number[] }));

vi.mock("node:timers/promises", () => ({
  setTimeout: async (ms: number) => {
    clock.pauses.push(ms);
    clock.ms += ms;
  },
}));

afterEach(() => {
  vi.restoreAllMocks();
});

/** How many times a store is asked for its lock, whose holder does not let go, if each answer takes this long. */
async function countAttempts(answerMs: number, timeoutMs: number): Promise<number> {
  Object.assign(clock, { ms: 0, pauses: [] });
  vi.spyOn(performance, "now").mockImplementation(() => clock.ms);
  const holder = { id: "other", pid: 7, host: "runner", since: "", command: "avatarops apply" };
  const found: FoundLock = { key: "other", holder, status: "elsewhere" };
  let attempts = 0;
  const store = {
    names: namesOf("state.json"),
    async tryLock() {
      attempts += 1;
      clock.ms += answerMs;
      return found;
    },
  } as Partial<StoreBackend> as StoreBackend;
  const taking = takeLock(store, { ...holder, id: "mine" }, { command: "avatarops apply", timeoutMs });
  await expect(taking).rejects.toBeInstanceOf(LockedError);
  return attempts;
}

test("a run that waits for a lock asks less and less often, and not all runs at the same moment", async () => {
  expect(await countAttempts(200, 600_000)).toBeLessThan(250);
  expect(Math.max(...clock.pauses)).toBeGreaterThan(4_000);
  expect(Math.max(...clock.pauses)).toBeLessThanOrEqual(5_000);
  expect(new Set(clock.pauses).size).toBeGreaterThan(clock.pauses.length / 2);
});

test("what attempts take counts: none begins after the time is over", async () => {
  expect(await countAttempts(25_000, 60_000)).toBe(3);
  expect(await countAttempts(90_000, 60_000)).toBe(1);
});
