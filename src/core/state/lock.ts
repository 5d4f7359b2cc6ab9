import { calculateBackoffMs } from "../../base/retry/index.js";
import type { System } from "../../base/system/index.js";
import type { CommitFacts } from "./history-record.js";
import { describeHolder, type Holder } from "./lock-holder.js";
import type { ProjectIdentity } from "./state.js";
import { LockedError, StateError } from "./state-error.js";
import { type ExistingLock, type HeldLock, isHeldLock, type StoreBackend } from "./store-backend.js";

export interface LockOptions {
  /** Command shown to other users, such as `avatarops apply`. */
  readonly command: string;
  /** Maximum time to wait for another owner, including the attempts themselves. 0 means no wait. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Called once for each lock that the run waits for. `holder` is undefined if the lock is unreadable. */
  readonly onWait?: (holder: Holder | undefined) => void;
  /** Time limit for a request to the service, recorded in the lock. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * Returns whether to take over a lock that is owned elsewhere (default: never). `version` changes whenever the lock's
   * owner writes.
   */
  readonly takesOver?: ((holder: Holder, version: string) => boolean) | undefined;
  /** Called after a takeover. */
  readonly onTakenOver?: (holder: Holder) => void;
  /**
   * Called if the lock cannot be released, instead of throwing the error. `isRecorded` is true if the store has all
   * outcomes.
   */
  readonly onUnreleased?: (error: Error, isRecorded: boolean) => void;
  /** Called if a commit stored the state with this serial, but could not store its record. */
  readonly onRecordMissing?: (error: Error, serial: number) => void;
  /** Returns the facts for a commit record. Called only if the state changes. Default: the command and the host. */
  readonly collectFacts?: () => Promise<CommitFacts>;
  /** Returns the current project. The lock is refused if the recorded project differs. Default: no comparison. */
  readonly project?: ((recorded: ProjectIdentity | undefined) => Promise<ProjectIdentity>) | undefined;
}

/**
 * Takes the lock. Waits while another run owns it, with growing pauses.
 *
 * @throws LockedError if another run still owns it after `timeoutMs`, or StateError `cancelled`.
 */
export async function takeLock(
  store: StoreBackend,
  mine: Holder,
  options: LockOptions,
  { monotonic, random, sleep }: System,
): Promise<HeldLock> {
  const began = monotonic();
  // Pauses grow, because a run may take minutes and every waiting run sends a request per attempt.
  const { longestPauseMs: maxPauseMs = 5_000 } = store;
  let waitingFor: string | undefined;
  for (let attempts = 1; ; attempts++) {
    if (options.signal?.aborted) throw createCancelledError(store);
    const found = await store.tryLock(mine);
    if (isHeldLock(found)) return found;
    const taken = await takeOver(found, options);
    if (taken) return taken;
    const leftMs = options.timeoutMs - (monotonic() - began);
    if (leftMs <= 0) throw createLockedError(store, found);
    if ((found.holder ?? found.unreadable) && found.key !== waitingFor) options.onWait?.(found.holder);
    waitingFor = found.key;
    await sleep(Math.min(calculateBackoffMs(25, attempts, random, maxPauseMs), leftMs), options.signal);
  }
}

async function takeOver(found: ExistingLock, options: LockOptions): Promise<HeldLock | undefined> {
  if (!found.takeOver || !isAbandoned(found, options)) return undefined;
  const taken = await found.takeOver();
  if (taken && found.holder) options.onTakenOver?.(found.holder);
  return taken;
}

/** Returns whether a lock that is owned elsewhere may be taken over. */
function isAbandoned({ holder, status, version }: ExistingLock, { takesOver }: LockOptions): boolean {
  if (!holder || version === undefined || status !== "elsewhere") return false;
  return takesOver?.(holder, version) === true;
}

/**
 * Finds the lock that a run would have to wait for, without taking it. Calls `takesOver` like {@link takeLock}, so that
 * the callback can measure how long the lock has stayed unchanged.
 */
export async function findBlockingLock(
  store: StoreBackend,
  mine: Holder,
  options: LockOptions,
): Promise<{ readonly holder: Holder | undefined } | undefined> {
  const found = await store.findLock(mine);
  if (!found || found.status === "dead" || isAbandoned(found, options)) return undefined;
  return { holder: found.holder };
}

export interface UnlockOptions {
  /** Whether to remove the lock even if its run is still alive on this machine. */
  readonly force?: boolean | undefined;
  /** Asks whether to remove an unreadable lock. Default: the lock stays. */
  readonly confirm?: (lock: string, text: string) => Promise<boolean>;
}

/**
 * Removes the lock at the user's request. Returns its owner, or undefined if no readable lock existed.
 *
 * @throws LockedError if a branch has the lock's name, or if the owner is alive on this machine and `force` is not set.
 */
export async function breakLock(
  store: StoreBackend,
  mine: Holder,
  { force = false, confirm }: UnlockOptions,
): Promise<Holder | undefined> {
  const found = await store.findLock(mine);
  if (!found) return undefined;
  const { holder, status, unreadable } = found;
  if (status === "alive" && !(force && holder)) throw createLockedError(store, found, holder && forceAdvice);
  if (unreadable?.isBranch) throw createLockedError(store, found);
  if (unreadable && !(await confirm?.(store.names.lock, unreadable.text))) return undefined;
  await store.breakLock(found, mine);
  // A lock that changed meanwhile is in use.
  const left = unreadable && (await store.findLock(mine));
  if (left?.unreadable) throw createLockedError(store, left);
  return holder;
}

const forceAdvice =
  " If you are sure that it is not running, add --force. Two concurrent runs would create objects twice.";

/** Releases a lock. If `onUnreleased` is given, reports errors to it instead of throwing. */
export function releaseHeldLock(
  hold: HeldLock,
  { onUnreleased }: LockOptions,
  isRecorded = true,
): Promise<void> {
  return hold.release().catch((error: Error) => {
    if (!onUnreleased) throw error;
    onUnreleased(error, isRecorded);
  });
}

function createLockedError({ names: { lock } }: StoreBackend, found: ExistingLock, more = ""): LockedError {
  return new LockedError(lock, `${describeLock(lock, found)}${more}`, found.holder);
}

function describeLock(lock: string, { holder, status, unreadable }: ExistingLock): string {
  if (unreadable?.isBranch)
    return `${lock} is a branch, not an avatarops lock, so it is not removed. Use another ref in \`state:\`, or delete the branch if you do not need it.`;
  if (unreadable)
    return `${lock} is unreadable, because another version of avatarops wrote it or it is damaged. Make sure that no run uses it, then remove it with \`avatarops state unlock\`.`;
  if (!holder)
    return `A run may be taking or releasing ${lock} right now. Run the command again in a few seconds.`;
  const advice =
    status === "elsewhere" && !holder.session
      ? "avatarops cannot check that run from here. If it has ended, remove the lock with `avatarops state unlock`."
      : "Wait until it ends, then run the command again.";
  return `The state is locked by ${describeHolder(holder)}: ${lock}. ${advice}`;
}

function createCancelledError({ names }: StoreBackend): StateError {
  return new StateError("cancelled", names.lock, `Stopped waiting for ${names.lock}.`);
}
