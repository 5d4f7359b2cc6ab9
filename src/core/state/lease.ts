import type { System } from "../../base/system/index.js";
import { maxLockAgeMs } from "./lock-holder.js";
import { StateError } from "./state-error.js";
import type { HeldLock } from "./store-backend.js";

/** Maximum number of checks before the run gives up on a slow store. */
const maxChecks = 3;

/** Owned lock with the time when the store last confirmed it. */
export interface Lease extends HeldLock {
  /**
   * Checks the lock unless the store confirmed it less than `maxLockAgeMs` ago. Concurrent calls share one request.
   *
   * @throws StateError `lock-lost` or `unreachable`. The caller must then send nothing.
   */
  assertHeld(): Promise<void>;
}

/**
 * Opens a lease. Its age counts from the start of the request that confirmed it. Uses two clocks, because the wall
 * clock can be set back, and the monotonic clock stops during suspend.
 */
export function openLease(hold: HeldLock, location: string, { now, monotonic }: System): Lease {
  let confirmed: { readonly now: number; readonly monotonic: number } | undefined;
  let checking: Promise<void> | undefined;

  async function confirm<Result>(work: () => Promise<Result>): Promise<Result> {
    const began = { now: now(), monotonic: monotonic() };
    const result = await work();
    confirmed = began;
    return result;
  }

  function isFresh(): boolean {
    if (!confirmed) return false;
    return Math.max(now() - confirmed.now, monotonic() - confirmed.monotonic) < maxLockAgeMs;
  }

  return {
    ...hold,
    read: () => confirm(hold.read),
    append: (lines) => confirm(() => hold.append(lines)),
    commit: (next) => confirm(() => hold.commit(next)),
    async assertHeld() {
      for (let checks = 0; !isFresh(); checks++) {
        if (checks === maxChecks) throw createTooSlowError(location);
        checking ??= confirm(hold.check).finally(() => {
          checking = undefined;
        });
        await checking;
      }
    },
  };
}

function createTooSlowError(location: string): StateError {
  return new StateError(
    "unreachable",
    location,
    `The state ${location} took more than ${maxLockAgeMs / 1_000} s to confirm this run's lock, so the run stopped before its next write. Check the connection to the store, then run the command again.`,
  );
}
