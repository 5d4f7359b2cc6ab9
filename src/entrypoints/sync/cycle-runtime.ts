import path from "node:path";
import { type Holder, maxLockAgeMs } from "../../core/state/index.js";
import { createQuietReporter, type Runtime } from "../../operations/index.js";

/**
 * Creates a cycle's runtime, which uses the cycle's checkout, prints only warnings, and stops on the same signal as
 * `sync`.
 */
export function createCycleRuntime(
  { host, allowCode, options, signal }: Runtime,
  cwd: string,
  { newId, hasHoldEnded }: IssuedIds,
  takesOverLock: NonNullable<Runtime["host"]["takesOverLock"]>,
  warn: (sentence: string) => void,
): Runtime {
  return {
    host: {
      ...{ ...host, cwd, ownsProcess: false, newId, hasHoldEnded, takesOverLock },
      resolve: (named) => path.resolve(cwd, named),
    },
    output: createQuietReporter(warn),
    ...{ allowCode, options, signal },
    opened: {},
    // `sync` handles signals itself, so these functions only run the work.
    runToEnd: (work) => work(),
    runCleanup: (work) => work(),
  };
}

/** Maximum number of ids to keep, far more than an apply uses. */
const maxRememberedIds = 1_000;

/**
 * Remembers the lock ids of ended cycles. If a lock could not be released, only its id shows that it is stale, because
 * this process is still running.
 */
export function createIdIssuer(newId: () => string) {
  let ended: readonly string[] = [];
  let given: string[] = [];
  return {
    newId(): string {
      const id = newId();
      given.push(id);
      return id;
    },
    /** Marks the current cycle's ids as ended. */
    endCycle(): void {
      ended = [...ended, ...given].slice(-maxRememberedIds);
      given = [];
    },
    hasHoldEnded: (id: string): boolean => ended.includes(id),
  };
}

export type IssuedIds = ReturnType<typeof createIdIssuer>;

export interface TakeOverOptions {
  /** Time without changes before a lock may be taken over. 0 means never. */
  readonly afterMs: number;
  /** Name of this replica. After a restart, its earlier lock may still exist. */
  readonly host: string;
  readonly now: () => number;
}

/** Decides which locks to take over: locks of other `sync` processes, never a lock of a person's `apply`. */
export function watchLocks({ afterMs, host, now }: TakeOverOptions) {
  let seen = { version: "", sinceMs: 0 };
  let dueMs: number | undefined;

  /**
   * Returns a shorter delay for a lock with our host name, because a restart of this replica probably left it behind.
   */
  function findDelay({ requestTimeoutMs, ...holder }: Holder): number {
    if (holder.host !== host || requestTimeoutMs === undefined) return afterMs;
    return Math.min(afterMs, requestTimeoutMs + maxLockAgeMs);
  }

  return {
    takesOver(holder: Holder, version: string): boolean {
      if (version !== seen.version) seen = { version, sinceMs: now() };
      if (holder.command !== "avatarops sync" || afterMs === 0) return false;
      dueMs = seen.sinceMs + findDelay(holder);
      return now() >= dueMs;
    },
    /** Ends a cycle. Returns the time until the blocking lock may be taken over, if any. */
    endCycle(): number | undefined {
      const leftMs = dueMs === undefined ? undefined : Math.max(dueMs - now(), 1_000);
      dueMs = undefined;
      return leftMs;
    },
  };
}
