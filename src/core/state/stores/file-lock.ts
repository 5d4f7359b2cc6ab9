import { rm } from "node:fs/promises";
import type { Holder } from "../lock-holder.js";
import type { LockEnvironment } from "../processes.js";
import { type FoundLock, vanishedLock } from "../state-store.js";
import { create, findLock, release, replace } from "./lock-file.js";

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
 *
 * One attempt; returns the lock in the way, or undefined if the lock is ours.
 */
export function tryLockFile(
  path: string,
  mine: Holder,
  environment: LockEnvironment,
): Promise<FoundLock | undefined> {
  return tryLock(path, path, mine, environment);
}

/** Removes a lock if it is still the one that was found. */
export async function removeLockFile(
  path: string,
  found: FoundLock,
  mine: Holder,
  environment: LockEnvironment,
): Promise<void> {
  await withClaim(path, path, found, mine, environment, () => rm(path, { force: true }));
}

async function tryLock(
  path: string,
  lockPath: string,
  mine: Holder,
  environment: LockEnvironment,
): Promise<FoundLock | undefined> {
  const found = await findLock(path, environment);
  if (!found)
    return (await create(path, mine)) ? undefined : ((await findLock(path, environment)) ?? vanishedLock);
  if (found.status !== "dead") return found;
  return withClaim(path, lockPath, found, mine, environment, () => replace(path, mine));
}

/** Acts on a lock if it is still the one that was found; otherwise returns the lock in the way. */
async function withClaim(
  path: string,
  lockPath: string,
  found: FoundLock,
  mine: Holder,
  environment: LockEnvironment,
  act: () => Promise<void>,
): Promise<FoundLock | undefined> {
  const claim = `${lockPath}.${found.key}`;
  if (await tryLock(claim, lockPath, mine, environment)) return found;
  try {
    const now = await findLock(path, environment);
    if (now?.key !== found.key) return now ?? vanishedLock;
    await act();
    return undefined;
  } finally {
    // A claim left behind is harmless: the id in its name never occurs again.
    await release(claim, mine.id).catch(() => undefined);
  }
}
