import path from "node:path";
import { type Holder, maxLockAgeMs } from "../../core/state/index.js";
import { quietReporter, type Runtime } from "../../operations/index.js";

/** The runtime of a cycle: in another folder, silent but for its warnings, and stopped by the same signal. */
export function cycleRuntime(
  { host, allowCode, options, signal }: Runtime,
  cwd: string,
  { newId, hasEnded }: IssuedIds,
  takesOverLock: NonNullable<Runtime["host"]["takesOverLock"]>,
  warn: (sentence: string) => void,
): Runtime {
  return {
    host: {
      ...{ ...host, cwd, ownsProcess: false, newId, hasEnded, takesOverLock },
      resolve: (named) => path.resolve(cwd, named),
    },
    output: quietReporter(warn),
    ...{ allowCode, options, signal },
    opened: {},
    // The process listens to signals already, for as long as it runs.
    finishing: (work) => work(),
    releasing: (work) => work(),
  };
}

/** As many ids as an apply may ask for, many times over. */
const remembered = 1_000;

/**
 * The ids that cycles have given to locks and other things. If a lock cannot be released, because the store does not
 * answer just then, the process lives on, and only by its id is the lock known to be nobody's.
 */
export function issueIds(newId: () => string) {
  let ended: readonly string[] = [];
  let given: string[] = [];
  return {
    newId(): string {
      const id = newId();
      given.push(id);
      return id;
    },
    /** To be called between two cycles. */
    endCycle(): void {
      ended = [...ended, ...given].slice(-remembered);
      given = [];
    },
    hasEnded: (id: string): boolean => ended.includes(id),
  };
}

export type IssuedIds = ReturnType<typeof issueIds>;

/** When to take over locks. */
export interface TakeOverOptions {
  /** How long a lock must not have changed in the looks of this process, in ms; 0: never take over any. */
  readonly afterMs: number;
  /** Name of this replica, which may come back while its earlier lock is there. */
  readonly host: string;
  readonly now: () => number;
}

/** Decides which locks to take over: those of `sync` elsewhere, never that of a person, whose `apply` may have reason to wait. */
export function watchLocks({ afterMs, host, now }: TakeOverOptions) {
  let seen = { version: "", sinceMs: 0 };
  let dueMs: number | undefined;

  /** A lock under our own name is most likely that of this replica before it was restarted. */
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
    /** Ends a cycle; returns in how many ms the lock in its way may be taken over, if it may. */
    endCycle(): number | undefined {
      const leftMs = dueMs === undefined ? undefined : Math.max(dueMs - now(), 1_000);
      dueMs = undefined;
      return leftMs;
    },
  };
}
