import path from "node:path";
import { quietReporter, type Runtime } from "../../operations/index.js";

/** The runtime of a cycle: in another folder, silent but for its warnings, and stopped by the same signal. */
export function cycleRuntime(
  { host, options, signal }: Runtime,
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
    ...{ options, signal },
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

/**
 * Decides which locks to take over: those of `sync` elsewhere that have not changed for `afterMs` in the looks of this
 * process; 0: none. A person's `apply` may have reason to wait.
 */
export function watchLocks(afterMs: number, now: () => number) {
  let seen = { version: "", sinceMs: 0 };
  return ({ command }: { readonly command: string }, version: string): boolean => {
    if (version !== seen.version) seen = { version, sinceMs: now() };
    return command === "avatarops sync" && afterMs > 0 && now() - seen.sinceMs >= afterMs;
  };
}
