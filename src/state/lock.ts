import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { create, type Found, type LockEnvironment, look, release, replace } from "./lock-file.js";
import type { Holder } from "./lock-holder.js";
import { LockedError, StateError } from "./state-error.js";

/**
 * One writer at a time, through a file that only one process can create.
 *
 * The hard part is a holder that died. Two waiting runs may both notice, and the slower one must not remove
 * the lock that the faster one meanwhile holds: looking and replacing are two steps. So the right to replace
 * a dead holder's lock is a lock itself, a claim named after the dead holder's id (`state.json.lock.<id>`),
 * and its owner looks again before it acts. While the lock is still the dead holder's, nobody else may
 * replace it; otherwise another run has replaced it, and we wait in line. If the owner of a claim dies, the
 * claim is a dead holder's lock and is replaced in the same way.
 *
 * The lock of a holder on another machine is never replaced: only its user can know that it is dead
 * (`avatarops state unlock`).
 */
export interface LockOptions {
  /** What runs, for other users, e.g. `avatarops apply`. */
  readonly command: string;
  /** How long to wait for another holder; 0: do not wait. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Called once for each holder that we wait for. */
  readonly onWait?: (holder: Holder) => void;
}

/**
 * Takes the lock; waits while another run holds it.
 *
 * @throws LockedError if it is still held after `timeoutMs`; StateError `cancelled`.
 */
export async function takeLock(
  path: string,
  mine: Holder,
  options: LockOptions,
  environment: LockEnvironment,
): Promise<void> {
  let waitedMs = 0;
  let waitingFor: string | undefined;
  for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 1.5, 500)) {
    if (options.signal?.aborted) throw cancelled(path);
    const rival = await tryLock(path, path, mine, environment);
    if (!rival) return;
    if (waitedMs >= options.timeoutMs) throw lockedBy(path, rival);
    if (rival.holder && rival.key !== waitingFor) options.onWait?.(rival.holder);
    waitingFor = rival.key;
    const forMs = Math.min(pauseMs, options.timeoutMs - waitedMs);
    await sleep(forMs, undefined, options.signal ? { signal: options.signal } : {}).catch(() => {
      throw cancelled(path);
    });
    waitedMs += forMs;
  }
}

/**
 * Removes a lock at the user's request; returns the holder, or undefined if there was none (or it was
 * unreadable).
 *
 * @throws LockedError if the holder is alive on this machine, unless forced.
 */
export async function breakLock(
  path: string,
  mine: Holder,
  force: boolean,
  environment: LockEnvironment,
): Promise<Holder | undefined> {
  const found = await look(path, environment);
  if (!found) return undefined;
  if (found.status === "alive" && !force) throw lockedBy(path, found);
  await withClaim(path, path, found, mine, environment, () => rm(path, { force: true }));
  return found.holder;
}

/** One attempt; returns the lock in the way, or undefined if the lock is ours. */
async function tryLock(
  path: string,
  lockPath: string,
  mine: Holder,
  environment: LockEnvironment,
): Promise<Found | undefined> {
  const found = await look(path, environment);
  if (!found) return (await create(path, mine)) ? undefined : ((await look(path, environment)) ?? vanished);
  if (found.status !== "dead") return found;
  return withClaim(path, lockPath, found, mine, environment, () => replace(path, mine));
}

/** Acts on a lock if it is still the one that was found; otherwise returns the lock in the way. */
async function withClaim(
  path: string,
  lockPath: string,
  found: Found,
  mine: Holder,
  environment: LockEnvironment,
  act: () => Promise<void>,
): Promise<Found | undefined> {
  const claim = `${lockPath}.${found.key}`;
  if (await tryLock(claim, lockPath, mine, environment)) return found;
  try {
    const now = await look(path, environment);
    if (now?.key !== found.key) return now ?? vanished;
    await act();
    return undefined;
  } finally {
    // A claim left behind is harmless: the id in its name never occurs again.
    await release(claim, mine.id).catch(() => undefined);
  }
}

/** The lock was released between two looks: the next attempt may get it. */
const vanished: Found = { key: "", holder: undefined, status: "alive" };

function lockedBy(path: string, { holder, status }: Found): LockedError {
  if (!holder) {
    return new LockedError(
      path,
      `Another run is writing ${path} right now. Try again in a few seconds.`,
      holder,
    );
  }
  const who = `\`${plain(holder.command)}\` (process ${holder.pid} on ${plain(holder.host)}, since ${plain(holder.since)})`;
  const advice =
    status === "elsewhere"
      ? "If that run is dead, which avatarops cannot see from this machine, remove the lock with `avatarops state unlock`."
      : "Wait until it has ended, and run the command again.";
  return new LockedError(path, `The state is locked by ${who}: ${path}. ${advice}`, holder);
}

function cancelled(path: string): StateError {
  return new StateError("cancelled", path, `Stopped waiting for ${path}.`);
}

/** The file may come from a checkout: show its text without control characters. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, 200);
}
