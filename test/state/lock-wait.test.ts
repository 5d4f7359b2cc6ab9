import { expect, test } from "vitest";
import { nodeSystem, type System } from "../../src/base/system/index.js";
import { LockedError } from "../../src/core/state/index.js";
import { takeLock } from "../../src/core/state/lock.js";
import type { ExistingLock, StoreBackend } from "../../src/core/state/store-backend.js";
import { createStoreNames } from "./building.js";

/** Counts attempts to take a lock that another run owns. Time passes only during pauses and responses. */
async function countAttempts(responseMs: number, timeoutMs: number) {
  let ms = 0;
  let attempts = 0;
  const pauses: number[] = [];
  const system: System = {
    ...nodeSystem,
    monotonic: () => ms,
    async sleep(forMs) {
      pauses.push(forMs);
      ms += forMs;
    },
  };
  const holder = { id: "other", pid: 7, host: "runner", since: "", command: "avatarops apply" };
  const found: ExistingLock = { key: "other", holder, status: "elsewhere" };
  const store = {
    names: createStoreNames("state.json"),
    async tryLock() {
      attempts += 1;
      ms += responseMs;
      return found;
    },
  } as Partial<StoreBackend> as StoreBackend;
  const options = { command: "avatarops apply", timeoutMs };
  await expect(takeLock(store, { ...holder, id: "mine" }, options, system)).rejects.toBeInstanceOf(
    LockedError,
  );
  return { attempts, pauses };
}

test("retries a lock held by another run after increasing random pauses", async () => {
  const { attempts, pauses } = await countAttempts(200, 600_000);
  expect(attempts).toBeLessThan(250);
  expect(Math.max(...pauses)).toBeGreaterThan(4_000);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(5_000);
  expect(new Set(pauses).size).toBeGreaterThan(pauses.length / 2);
});

test("counts the duration of lock attempts toward the timeout", async () => {
  expect(await countAttempts(25_000, 60_000)).toMatchObject({ attempts: 3 });
  expect(await countAttempts(90_000, 60_000)).toMatchObject({ attempts: 1 });
});
