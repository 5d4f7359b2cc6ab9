import { constants, copyFile, link, open, rename, rm, stat } from "node:fs/promises";
import type { System } from "../../../base/system/index.js";
import { type Holder, parseHolder } from "../lock-holder.js";
import { type ProcessEnvironment, processStatus } from "../processes.js";
import { toFileError } from "../state-error.js";
import { type FoundLock, vanishedLock } from "../store-backend.js";
import { readIfThere, readIfThereSync } from "./disk.js";
import { errorCode } from "./paths.js";

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
 * The lock of a holder elsewhere, or one that cannot be read, is never replaced: only its user can know that it is dead
 * (`avatarops state unlock`). A holder that writes has the claim to its own lock while it looks and writes, so that a
 * lock is removed before or after that, and not in between.
 *
 * One attempt; returns the lock in the way, or undefined if the lock is ours.
 *
 * Lock files may be in the repository, so claims on claims are followed to a limit only: a circle counts as unreadable.
 *
 * @param lockPath The lock of the state; `path` is that or a claim.
 * @param above The locks and claims whose holders are dead, from the lock of the state on.
 */
export async function tryLockFile(
  path: string,
  mine: Holder,
  environment: ProcessEnvironment,
  lockPath = path,
  above: readonly string[] = [],
): Promise<FoundLock | undefined> {
  const find = () => findLock(path, environment, path !== lockPath);
  const found = await find();
  if (!found) return (await create(path, mine)) ? undefined : ((await find()) ?? vanishedLock);
  if (found.status !== "dead") return found;
  if (above.length === maxClaims) return toUnreadable(found);
  return withClaim({ path, lockPath, above: [...above, path] }, found, mine, environment, () =>
    replace(path, mine),
  );
}

/** Maximum number of runs in a row that died while they replaced the lock of another one. */
const maxClaims = 8;

function toUnreadable({ key, holder }: FoundLock): FoundLock {
  return { key, holder: undefined, status: "elsewhere", unreadable: { text: JSON.stringify(holder) } };
}

/** Removes a lock if it is still the one that was found. */
export async function removeLockFile(
  path: string,
  found: FoundLock,
  mine: Holder,
  environment: ProcessEnvironment,
  beforeRemoval: () => Promise<void>,
): Promise<void> {
  const { monotonic, sleep } = environment.system;
  const remove = async () => {
    await beforeRemoval();
    await rm(path, { force: true });
  };
  for (const began = monotonic(); ; ) {
    const inTheWay = await withClaim(
      { path, lockPath: path, above: [path] },
      found,
      mine,
      environment,
      remove,
    );
    if (inTheWay?.key !== found.key) return;
    // Its holder is writing, or died on another machine while it was: only the user can know.
    if (monotonic() - began > graceMs) return remove();
    await sleep(10);
  }
}

/**
 * Runs work while nobody can remove our lock. If it was removed and nobody else has one, it is taken again until the work
 * ends, and the work is told.
 *
 * @returns whether the lock was still ours; if it was not and could not be taken again, the work did not run.
 */
export async function whileLocked(
  path: string,
  mine: Holder,
  system: System,
  work: (wasRemoved: boolean) => Promise<void>,
): Promise<boolean> {
  const claim = `${path}.${mine.id}`;
  let wasRemoved = false;
  if (!(await claimOwn(path, claim, mine, system))) {
    wasRemoved = await create(path, mine);
    if (!wasRemoved || !(await claimOwn(path, claim, mine, system))) return false;
  }
  try {
    await work(wasRemoved);
    return !wasRemoved;
  } finally {
    if (wasRemoved) await releaseLock(path, mine.id);
    await rm(claim, { force: true }).catch(() => undefined);
  }
}

/** The claim to our own lock is a second name of its file; returns whether it is ours. */
async function claimOwn(
  path: string,
  claim: string,
  mine: Holder,
  { monotonic, sleep }: System,
): Promise<boolean> {
  for (const began = monotonic(); ; ) {
    try {
      await linkOrCopy(path, claim);
      if (await isLockOurs(claim, mine.id)) return true;
      await rm(claim, { force: true });
      return false;
    } catch (error) {
      if (errorCode(error) === "ENOENT") return false;
      if (errorCode(error) !== "EEXIST") throw toFileError(error, "write", path);
    }
    // It could not be removed the last time; or somebody is about to remove our lock.
    if (await isLockOurs(claim, mine.id)) return true;
    if (monotonic() - began > graceMs) return false;
    await sleep(10);
  }
}

/** Acts on a lock if it is still the one that was found; otherwise returns the lock in the way. */
async function withClaim(
  {
    path,
    lockPath,
    above,
  }: { readonly path: string; readonly lockPath: string; readonly above: readonly string[] },
  found: FoundLock,
  mine: Holder,
  environment: ProcessEnvironment,
  act: () => Promise<void>,
): Promise<FoundLock | undefined> {
  const own = `${lockPath}.${found.key}`;
  // A holder that died while it wrote has left the claim to its lock.
  const claim = own === path ? `${own}-left` : own;
  const inTheWay = await tryLockFile(claim, mine, environment, lockPath, above);
  if (inTheWay) return inTheWay.unreadable ? toUnreadable(found) : found;
  try {
    // Its age does not count here: a clock may have jumped.
    if (!found.holder) await environment.system.sleep(graceMs);
    const now = await findLock(path, environment);
    if (now?.key !== found.key) return now ?? vanishedLock;
    await act();
    return undefined;
  } finally {
    // A claim left behind is harmless: the id in its name never occurs again.
    await releaseLock(claim, mine.id).catch(() => undefined);
  }
}

/**
 * How long a lock that cannot be read may still be being written: ours are complete from the start only where hard links
 * exist. After that a claim is replaced, because its owner died while writing it; a lock counts as held.
 */
const graceMs = 2_000;

/** Reads a lock for its user, once it is old enough to be complete. */
export async function findSettledLock(
  path: string,
  environment: ProcessEnvironment,
): Promise<FoundLock | undefined> {
  const found = await findLock(path, environment);
  if (!found || found.holder || found.unreadable) return found;
  await environment.system.sleep(graceMs);
  return findLock(path, environment);
}

/** Reads a lock or a claim; undefined if there is none. */
export async function findLock(
  path: string,
  environment: ProcessEnvironment,
  isClaim = false,
): Promise<FoundLock | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const holder = parseHolder(text);
  if (holder) return { key: holder.id, holder, status: processStatus(holder, environment) };
  const facts = await stat(path).catch(() => undefined);
  if (!facts) return undefined;
  const age = environment.system.now() - facts.mtimeMs;
  const unread = { key: `unreadable-${facts.ino}-${facts.mtimeMs}`, holder: undefined };
  if (age >= 0 && age < graceMs) return { ...unread, status: "alive" };
  return isClaim ? { ...unread, status: "dead" } : { ...unread, status: "elsewhere", unreadable: { text } };
}

/** Creates the lock if there is none; returns whether it did. */
async function create(path: string, mine: Holder): Promise<boolean> {
  const whole = await writeWhole(path, mine);
  try {
    await linkOrCopy(whole, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw toFileError(error, "write", path);
  } finally {
    // Our temporary file, which is not needed any more.
    await rm(whole, { force: true }).catch(() => undefined);
  }
}

/** Replaces the lock of another holder. The caller must ensure that nobody else does so at the same time. */
async function replace(path: string, mine: Holder): Promise<void> {
  await rename(await writeWhole(path, mine), path);
}

/** Removes the lock if it is ours. */
export async function releaseLock(path: string, id: string): Promise<void> {
  if (await isLockOurs(path, id)) await rm(path, { force: true });
}

/** Whether the lock is still ours: somebody may have removed it by hand. */
export async function isLockOurs(path: string, id: string): Promise<boolean> {
  return parseHolder(readIfThereSync(path) ?? "")?.id === id;
}

/** A temporary file with the lock's text, to be moved into place. */
async function writeWhole(path: string, mine: Holder): Promise<string> {
  const whole = `${path}.${mine.id}.new`;
  try {
    const file = await open(whole, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(mine)}\n`);
      // After a power failure, an empty lock would count as held.
      await file.datasync();
    } finally {
      await file.close();
    }
    return whole;
  } catch (error) {
    await rm(whole, { force: true }).catch(() => undefined);
    throw toFileError(error, "write", path);
  }
}

/** Both fail if `path` exists. A link is complete at once; a copy, for file systems without links, is not. */
async function linkOrCopy(whole: string, path: string): Promise<void> {
  try {
    await link(whole, path);
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw error;
    await copyFile(whole, path, constants.COPYFILE_EXCL);
  }
}
