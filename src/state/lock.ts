import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { create, type Found, type LockEnvironment, look, release, replace } from "./lock-file.js";
import type { Holder } from "./lock-holder.js";
import { LockedError, StateError } from "./state-error.js";

/**
 * One writer at a time, by a file that only one can create.
 *
 * The hard part is a holder that died. Two waiting runs may both see that, and the slower one must not throw out the
 * faster one, who by then holds the lock rightly: looking and replacing are two steps. So the right to replace a dead
 * holder's lock is a lock itself, named after the dead holder's id (`state.json.lock.<id>`), and who has it looks again
 * before it acts. As long as the lock still is the dead one's, nobody else may replace it; if it no longer is, somebody
 * did before us and we queue up. Should the one who replaces die in the midst, then its claim is a dead holder's lock
 * and is taken over the same way.
 *
 * A holder on another machine is never thrown out: only its user can know that it is dead (`avatarops state unlock`).
 */
export interface LockOptions {
  /** What runs, as others are told, e.g. `avatarops apply`. */
  readonly command: string;
  /** How long to wait for another holder; 0: not at all. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Called once for each holder that is waited for. */
  readonly onWait?: (holder: Holder) => void;
}

/**
 * Takes the lock, waiting where it is held.
 *
 * @throws LockedError when it is still held after `timeoutMs`; StateError `cancelled`.
 */
export async function takeLock(
  path: string,
  mine: Holder,
  options: LockOptions,
  world: LockEnvironment,
): Promise<void> {
  let waitedMs = 0;
  let waitingFor: string | undefined;
  for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 1.5, 500)) {
    if (options.signal?.aborted) throw cancelled(path);
    const rival = await tryLock(path, path, mine, world);
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
 * Removes a lock for the user who says so; the holder, or undefined where there is none (or none that could be read).
 *
 * @throws LockedError when the holder is alive on this machine, unless forced.
 */
export async function breakLock(
  path: string,
  mine: Holder,
  force: boolean,
  world: LockEnvironment,
): Promise<Holder | undefined> {
  const found = await look(path, world);
  if (!found) return undefined;
  if (found.standing === "alive" && !force) throw lockedBy(path, found);
  await withClaim(path, path, found, mine, world, () => rm(path, { force: true }));
  return found.holder;
}

/** One attempt; who is in the way, or undefined when the lock is ours. */
async function tryLock(
  path: string,
  lockPath: string,
  mine: Holder,
  world: LockEnvironment,
): Promise<Found | undefined> {
  const found = await look(path, world);
  if (!found) return (await create(path, mine)) ? undefined : ((await look(path, world)) ?? vanished);
  if (found.standing !== "dead") return found;
  return withClaim(path, lockPath, found, mine, world, () => replace(path, mine));
}

/** Acts on a lock, unless it is no longer the one that was found; then says who is in the way. */
async function withClaim(
  path: string,
  lockPath: string,
  found: Found,
  mine: Holder,
  world: LockEnvironment,
  act: () => Promise<void>,
): Promise<Found | undefined> {
  const claim = `${lockPath}.${found.key}`;
  if (await tryLock(claim, lockPath, mine, world)) return found;
  try {
    const now = await look(path, world);
    if (now?.key !== found.key) return now ?? vanished;
    await act();
    return undefined;
  } finally {
    // A claim that stays is in nobody's way: the id it is named after never comes again.
    await release(claim, mine.id).catch(() => undefined);
  }
}

/** A lock that was let go between two looks: the next attempt may get it. */
const vanished: Found = { key: "", holder: undefined, standing: "alive" };

function lockedBy(path: string, { holder, standing }: Found): LockedError {
  if (!holder) {
    return new LockedError(
      path,
      `${path} is just being written by another run. Try again in a few seconds.`,
      holder,
    );
  }
  const who = `\`${plain(holder.command)}\` (process ${holder.pid} on ${plain(holder.host)}, since ${plain(holder.since)})`;
  const advice =
    standing === "elsewhere"
      ? "If that run is dead, which cannot be seen from this machine, remove the lock with `avatarops state unlock`."
      : "Wait until it has ended, and run the command again.";
  return new LockedError(path, `The state is locked by ${who}: ${path}. ${advice}`, holder);
}

function cancelled(path: string): StateError {
  return new StateError("cancelled", path, `Stopped waiting for ${path}.`);
}

/** The file may come with a checkout: what it says is shown without control characters. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, 200);
}
