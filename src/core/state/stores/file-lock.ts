import { constants, copyFile, link, open, rename, rm, stat } from "node:fs/promises";
import type { System } from "../../../base/system/index.js";
import { checkHolderStatus, type ProcessEnvironment } from "../holder-status.js";
import { type Holder, parseHolder } from "../lock-holder.js";
import { toFileError } from "../state-error.js";
import { type ExistingLock, unsettledLock } from "../store-backend.js";
import { readIfExists, readIfExistsSync } from "./disk.js";
import { getErrorCode } from "./paths.js";

/**
 * Tries once to take the lock, which is a file that only one process can create. Returns the existing lock, or
 * undefined if the lock is now ours. A run that replaces the lock of a dead owner first takes a claim
 * (`state.json.lock.<id>`). Otherwise, it could remove the lock of a faster run (see "Design notes" in
 * ARCHITECTURE.md).
 *
 * @param path State lock, or a claim.
 * @param lockPath State lock.
 * @param above Locks and claims of dead owners, starting with the state lock.
 */
export async function tryLockFile(
  path: string,
  mine: Holder,
  environment: ProcessEnvironment,
  lockPath = path,
  above: readonly string[] = [],
): Promise<ExistingLock | undefined> {
  const find = () => findLock(path, environment, path !== lockPath);
  const found = await find();
  if (!found) return (await create(path, mine)) ? undefined : ((await find()) ?? unsettledLock);
  if (found.status !== "dead") return found;
  if (above.length === maxClaims) return toUnreadable(found);
  return withClaim({ path, lockPath, above: [...above, path] }, found, mine, environment, () =>
    replace(path, mine),
  );
}

/** Maximum number of successive runs that died while they replaced a lock. */
const maxClaims = 8;

function toUnreadable({ key, holder }: ExistingLock): ExistingLock {
  return { key, holder: undefined, status: "elsewhere", unreadable: { text: JSON.stringify(holder) } };
}

/** Removes a lock if it has not changed since it was found. */
export async function removeLockFile(
  path: string,
  found: ExistingLock,
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
    // The owner is still writing, or died on another machine during a write. Removes the lock anyway, because the user
    // asked for it.
    if (monotonic() - began > graceMs) return remove();
    await sleep(10);
  }
}

/**
 * Runs `work` while no other run can remove our lock. If the lock was already removed and is free, takes it again until
 * `work` has finished, and sets `wasRemoved`.
 *
 * @returns whether the lock was still ours. If false, the work ran only if the lock was taken again.
 */
export async function withLockHeld(
  path: string,
  mine: Holder,
  system: System,
  work: (wasRemoved: boolean) => Promise<void>,
): Promise<boolean> {
  const claim = `${path}.${mine.id}`;
  let wasRemoved = false;
  if (!(await writeOwnClaim(path, claim, mine, system))) {
    wasRemoved = await create(path, mine);
    if (!wasRemoved || !(await writeOwnClaim(path, claim, mine, system))) return false;
  }
  try {
    await work(wasRemoved);
    return !wasRemoved;
  } finally {
    if (wasRemoved) await releaseLock(path, mine.id);
    await rm(claim, { force: true }).catch(() => undefined);
  }
}

/** Claims our own lock by linking the lock file. Returns whether the claim is ours. */
async function writeOwnClaim(
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
      if (getErrorCode(error) === "ENOENT") return false;
      if (getErrorCode(error) !== "EEXIST") throw toFileError(error, "write", path);
    }
    // The claim is left over from our last write, or another run is about to remove our lock.
    if (await isLockOurs(claim, mine.id)) return true;
    if (monotonic() - began > graceMs) return false;
    await sleep(10);
  }
}

/** Runs `act` if the lock has not changed since it was found. If it has, returns the current lock. */
async function withClaim(
  {
    path,
    lockPath,
    above,
  }: { readonly path: string; readonly lockPath: string; readonly above: readonly string[] },
  found: ExistingLock,
  mine: Holder,
  environment: ProcessEnvironment,
  act: () => Promise<void>,
): Promise<ExistingLock | undefined> {
  const name = `${lockPath}.${found.key}`;
  // If the owner died during a write, the claim on its own lock is still there.
  const claim = name === path ? `${name}-left` : name;
  const inTheWay = await tryLockFile(claim, mine, environment, lockPath, above);
  if (inTheWay) return inTheWay.unreadable ? toUnreadable(found) : found;
  try {
    // Waits regardless of the lock's age, because a clock may have jumped.
    if (!found.holder) await environment.system.sleep(graceMs);
    const now = await findLock(path, environment);
    if (now?.key !== found.key) return now ?? unsettledLock;
    await act();
    return undefined;
  } finally {
    // A leftover claim is harmless, because the id in its name never recurs.
    await releaseLock(claim, mine.id).catch(() => undefined);
  }
}

/**
 * Time during which a new lock or claim may be incomplete, because without hard links, its creation is not atomic.
 * After that, an unreadable claim is replaced, and an unreadable lock counts as owned.
 */
const graceMs = 2_000;

/** Reads a lock for the user, once its file is old enough to be complete. */
export async function findSettledLock(
  path: string,
  environment: ProcessEnvironment,
): Promise<ExistingLock | undefined> {
  const found = await findLock(path, environment);
  if (!found || found.holder || found.unreadable) return found;
  await environment.system.sleep(graceMs);
  return findLock(path, environment);
}

/** Reads a lock or a claim. Returns undefined if it does not exist. */
export async function findLock(
  path: string,
  environment: ProcessEnvironment,
  isClaim = false,
): Promise<ExistingLock | undefined> {
  const text = await readIfExists(path);
  if (text === undefined) return undefined;
  const holder = parseHolder(text);
  if (holder) return { key: holder.id, holder, status: checkHolderStatus(holder, environment) };
  const facts = await stat(path).catch(() => undefined);
  if (!facts) return undefined;
  const age = environment.system.now() - facts.mtimeMs;
  const unread = { key: `unreadable-${facts.ino}-${facts.mtimeMs}`, holder: undefined };
  if (age >= 0 && age < graceMs) return { ...unread, status: "alive" };
  return isClaim ? { ...unread, status: "dead" } : { ...unread, status: "elsewhere", unreadable: { text } };
}

/** Creates the lock unless it exists. Returns whether a lock was created. */
async function create(path: string, mine: Holder): Promise<boolean> {
  const whole = await writeAtomically(path, mine);
  try {
    await linkOrCopy(whole, path);
    return true;
  } catch (error) {
    if (getErrorCode(error) === "EEXIST") return false;
    throw toFileError(error, "write", path);
  } finally {
    // Removes our temporary file.
    await rm(whole, { force: true }).catch(() => undefined);
  }
}

/** Replaces the lock of another owner. The caller must make sure that no other run does the same. */
async function replace(path: string, mine: Holder): Promise<void> {
  await rename(await writeAtomically(path, mine), path);
}

/** Removes the lock if it is ours. */
export async function releaseLock(path: string, id: string): Promise<void> {
  if (await isLockOurs(path, id)) await rm(path, { force: true });
}

/** Returns whether the lock is still ours. A user may have removed it. */
export async function isLockOurs(path: string, id: string): Promise<boolean> {
  return parseHolder(readIfExistsSync(path) ?? "")?.id === id;
}

/** Writes the lock text to a temporary file, which the caller renames or links to the lock. Returns the file's path. */
async function writeAtomically(path: string, mine: Holder): Promise<string> {
  const whole = `${path}.${mine.id}.new`;
  try {
    const file = await open(whole, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(mine)}\n`);
      // After a power failure, an empty lock would count as owned.
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

/** Links the file, or copies it (not atomically) if links are unsupported. Fails if `path` exists. */
async function linkOrCopy(whole: string, path: string): Promise<void> {
  try {
    await link(whole, path);
  } catch (error) {
    if (getErrorCode(error) === "EEXIST") throw error;
    await copyFile(whole, path, constants.COPYFILE_EXCL);
  }
}
