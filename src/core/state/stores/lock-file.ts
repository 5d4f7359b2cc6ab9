import { constants, copyFile, link, rename, rm, stat, writeFile } from "node:fs/promises";
import { type Holder, parseHolder } from "../lock-holder.js";
import { type LockEnvironment, processStatus } from "../processes.js";
import { toFileError } from "../state-error.js";
import type { FoundLock } from "../state-store.js";
import { readIfThere } from "./disk.js";
import { errorCode } from "./paths.js";

/**
 * How long to respect an unreadable lock. Ours are complete from the start where hard links exist; elsewhere,
 * or after a power failure, a lock may be empty because its holder is writing it, or died while writing it.
 */
const graceMs = 2_000;

/** Reads a lock; undefined if there is none. */
export async function findLock(path: string, environment: LockEnvironment): Promise<FoundLock | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const holder = parseHolder(text);
  if (holder) return { key: holder.id, holder, status: processStatus(holder, environment) };
  const facts = await stat(path).catch(() => undefined);
  if (!facts) return undefined;
  const status = environment.now() - facts.mtimeMs < graceMs ? "alive" : "dead";
  return { key: `unreadable-${facts.ino}-${facts.mtimeMs}`, holder: undefined, status: status };
}

/** Creates the lock if there is none; returns whether it did. */
export async function create(path: string, mine: Holder): Promise<boolean> {
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
export async function replace(path: string, mine: Holder): Promise<void> {
  await rename(await writeWhole(path, mine), path);
}

/** Removes the lock if it is ours. */
export async function release(path: string, id: string): Promise<void> {
  if (await isOurs(path, id)) await rm(path, { force: true });
}

/** Whether the lock is still ours: somebody may have removed it by hand. */
export async function isOurs(path: string, id: string): Promise<boolean> {
  return parseHolder((await readIfThere(path)) ?? "")?.id === id;
}

/** A temporary file with the lock's text, to be moved into place. */
async function writeWhole(path: string, mine: Holder): Promise<string> {
  const whole = `${path}.${mine.id}.new`;
  try {
    await writeFile(whole, `${JSON.stringify(mine)}\n`, { mode: 0o600, flag: "wx" });
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
