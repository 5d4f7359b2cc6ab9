import { backoffMs } from "../../base/retry/index.js";
import type { System } from "../../base/system/index.js";
import type { CommitFacts } from "./history-record.js";
import { describeHolder, type Holder } from "./lock-holder.js";
import type { ProjectIdentity } from "./state.js";
import { LockedError, StateError } from "./state-error.js";
import { type FoundLock, type HeldLock, isHeldLock, type StoreBackend } from "./store-backend.js";

/** How to take the lock of a state. */
export interface LockOptions {
  /** What runs, for other users, e.g. `avatarops apply`. */
  readonly command: string;
  /** How long to wait for another holder, in ms, what the tries take included; 0: do not wait. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Called once for each lock that we wait for; without its holder if it cannot be read. */
  readonly onWait?: (holder: Holder | undefined) => void;
  /** How long a request to the service may take, in ms: recorded in the lock. */
  readonly requestTimeoutMs?: number | undefined;
  /** Whether to take over the lock of a run elsewhere. `version` changes whenever that run writes. Default: never. */
  readonly takesOver?: ((holder: Holder, version: string) => boolean) | undefined;
  /** Called when that was done. */
  readonly onTakenOver?: (holder: Holder) => void;
  /** Called if the lock cannot be released, instead of throwing. `isRecorded`: the store has every outcome of the run. */
  readonly onUnreleased?: (error: Error, isRecorded: boolean) => void;
  /** Called if a commit replaced the state with this serial, but its record is missing in the history. */
  readonly onRecordMissing?: (error: Error, serial: number) => void;
  /** What the record of a commit says; asked if the state changes. Default: the command and the host. */
  readonly facts?: () => Promise<CommitFacts>;
  /** Returns the project that takes the lock, given the recorded one: another project's state is refused. Default: not compared. */
  readonly project?: ((recorded: ProjectIdentity | undefined) => Promise<ProjectIdentity>) | undefined;
}

/**
 * Takes the lock; waits while another run holds it, and looks less often the longer it waits.
 *
 * @throws LockedError if it is still held after `timeoutMs`; StateError `cancelled`.
 */
export async function takeLock(
  store: StoreBackend,
  mine: Holder,
  options: LockOptions,
  { monotonic, random, sleep }: System,
): Promise<HeldLock> {
  const began = monotonic();
  // A run may take minutes, and each look at a lock on a server is a request of every run that waits.
  const { longestPauseMs: longestMs = 5_000 } = store;
  let waitingFor: string | undefined;
  for (let attempts = 1; ; attempts++) {
    if (options.signal?.aborted) throw cancelled(store);
    const found = await store.tryLock(mine);
    if (isHeldLock(found)) return found;
    const taken = await takeOver(found, options);
    if (taken) return taken;
    const leftMs = options.timeoutMs - (monotonic() - began);
    if (leftMs <= 0) throw lockedBy(store, found);
    if ((found.holder ?? found.unreadable) && found.key !== waitingFor) options.onWait?.(found.holder);
    waitingFor = found.key;
    await sleep(Math.min(backoffMs(25, attempts, random, longestMs), leftMs), options.signal);
  }
}

async function takeOver(found: FoundLock, options: LockOptions): Promise<HeldLock | undefined> {
  const { holder, status, version } = found;
  if (!found.takeOver || !holder || version === undefined || status !== "elsewhere") return undefined;
  if (!options.takesOver?.(holder, version)) return undefined;
  const taken = await found.takeOver();
  if (taken) options.onTakenOver?.(holder);
  return taken;
}

/** How to remove a lock. */
export interface UnlockOptions {
  /** Also remove the lock of a run that is alive on this machine. */
  readonly force?: boolean | undefined;
  /** Called before a lock is removed that cannot be read, with its name and text; false: it stays. Default: it stays. */
  readonly confirm?: (lock: string, text: string) => Promise<boolean>;
}

/**
 * Removes the lock at the user's request; returns the holder, or undefined if there was none, or it cannot be read.
 *
 * @throws LockedError if the holder is alive on this machine, unless forced; for a branch in its place.
 */
export async function breakLock(
  store: StoreBackend,
  mine: Holder,
  { force = false, confirm }: UnlockOptions,
): Promise<Holder | undefined> {
  const found = await store.findLock(mine);
  if (!found) return undefined;
  const { holder, status, unreadable } = found;
  if (status === "alive" && !(force && holder)) throw lockedBy(store, found, holder && forceAdvice);
  if (unreadable?.isBranch) throw lockedBy(store, found);
  if (unreadable && !(await confirm?.(store.names.lock, unreadable.text))) return undefined;
  await store.breakLock(found, mine);
  // A lock that changed meanwhile is in use.
  const left = unreadable && (await store.findLock(mine));
  if (left?.unreadable) throw lockedBy(store, left);
  return holder;
}

const forceAdvice =
  " If you are sure that it is not running, add --force: two runs at the same time create objects twice.";

/** Releases a lock as its taker asked for. */
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

function lockedBy({ names: { lock } }: StoreBackend, found: FoundLock, more = ""): LockedError {
  return new LockedError(lock, `${describeLock(lock, found)}${more}`, found.holder);
}

function describeLock(lock: string, { holder, status, unreadable }: FoundLock): string {
  if (unreadable?.isBranch)
    return `${lock} is a branch and holds no lock of avatarops, so it is not removed. Use another ref in \`state:\`, or delete the branch if it is not needed.`;
  if (unreadable)
    return `${lock} cannot be read, so it counts as held: another version of avatarops wrote it, or it is damaged. Make sure that no run uses it, then remove it with \`avatarops state unlock\`.`;
  if (!holder)
    return `A run may be taking or releasing ${lock} right now. Run the command again in a few seconds.`;
  const advice =
    status === "elsewhere"
      ? "If that run is dead, which avatarops cannot see from here, remove the lock with `avatarops state unlock`."
      : "Wait until it has ended, and run the command again.";
  return `The state is locked by ${describeHolder(holder)}: ${lock}. ${advice}`;
}

function cancelled({ names }: StoreBackend): StateError {
  return new StateError("cancelled", names.lock, `Stopped waiting for ${names.lock}.`);
}
