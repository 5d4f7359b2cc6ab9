import type { System } from "../../base/system/index.js";
import { maxLockAgeMs } from "./lock-holder.js";
import { StateError } from "./state-error.js";
import type { HeldLock } from "./store-backend.js";

/** Checks of a store that is too slow to confirm the lock in time, before the run gives up. */
const maxChecks = 3;

/** A held lock that knows when the store last confirmed it. */
export interface Lease extends HeldLock {
  /**
   * Resolves if the store confirmed the lock less than `maxLockAgeMs` ago, and asks it otherwise. Concurrent calls share
   * one request.
   *
   * @throws StateError `lock-lost`, `unreachable`: nothing may be sent.
   */
  assertHeld(): Promise<void>;
}

/**
 * Counts the age of a lock from the moment a request to the store begins: the process may be suspended before it reads the
 * response. Of the two clocks the one that shows more counts, because the wall clock can be set back, and the monotonic
 * clock stops during suspend.
 */
export function openLease(hold: HeldLock, location: string, { now, monotonic }: System): Lease {
  let confirmed: { readonly now: number; readonly monotonic: number } | undefined;
  let checking: Promise<void> | undefined;

  async function confirming<Result>(work: () => Promise<Result>): Promise<Result> {
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
    read: () => confirming(hold.read),
    append: (lines) => confirming(() => hold.append(lines)),
    commit: (next) => confirming(() => hold.commit(next)),
    async assertHeld() {
      for (let checks = 0; !isFresh(); checks++) {
        if (checks === maxChecks) throw tooSlow(location);
        checking ??= confirming(hold.check).finally(() => {
          checking = undefined;
        });
        await checking;
      }
    },
  };
}

function tooSlow(location: string): StateError {
  return new StateError(
    "unreachable",
    location,
    `The state ${location} takes longer than ${maxLockAgeMs / 1_000} s to confirm this run's lock, so nothing more is sent. Run the command again when the store responds faster.`,
  );
}
