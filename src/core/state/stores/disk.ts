import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFile, readPermissions, readRegular, readRegularSync } from "../../../base/files/index.js";
import { toFileError } from "../state-error.js";
import { errorCode, locate, type Paths } from "./paths.js";

/** The text of a file; undefined if there is none. */
export async function readIfThere(file: string): Promise<string | undefined> {
  return readRegular(file).then(String, (error) => refuseUnlessMissing(error, file));
}

/** Reads a small file that is read again and again: at once, not through five calls in other threads. */
export function readIfThereSync(file: string): string | undefined {
  try {
    return String(readRegularSync(file));
  } catch (error) {
    return refuseUnlessMissing(error, file);
  }
}

function refuseUnlessMissing(error: unknown, file: string): undefined {
  if (errorCode(error) !== "ENOENT") throw toFileError(error, "read", file);
}

/**
 * Creates the state's folder. Only its owner may read it and its files, because the state holds what is
 * needed to guess weak secrets (see secrets/fingerprint.ts); users who want to share them widen the
 * permissions, and existing files keep theirs.
 */
export async function makeFolder({ folder, state }: Paths): Promise<void> {
  try {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (first !== undefined) await syncNames(folder, first);
  } catch (error) {
    throw toFileError(error, "write", state);
  }
}

/**
 * Replaces the text of a file: at any moment, even if the power fails, the file has the complete old text or the
 * complete new one. Hence the order: write a file beside it, sync its bytes, rename it, sync the folder with the name.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const next = `${file}.next`;
  try {
    // Removes what a crash left there.
    await rm(next, { force: true });
    await makeFile(next, text, (await readPermissions(file)) ?? 0o600);
    await rename(next, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(next, { force: true }).catch(() => undefined);
    throw toFileError(error, "write", file);
  }
}

/** Writes a complete file or nothing, for its owner only unless it exists; for saved plans. Follows links. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const { state: target } = await locate(file);
  const facts = await stat(target).catch(() => undefined);
  if (!facts || facts.isFile()) return replaceFile(target, text);
  try {
    // A device or a pipe, e.g. /dev/stdout, must not be replaced.
    await writeFile(target, text);
  } catch (error) {
    throw toFileError(error, "write", file);
  }
}

/**
 * Makes the names of new folders durable, from the last to the first: the journal would be lost with its folder's name.
 */
async function syncNames(last: string, first: string): Promise<void> {
  for (let folder = last; folder.length >= first.length; folder = dirname(folder)) {
    await syncFolder(dirname(folder));
  }
}

/** Makes the names in a folder durable. Where folders cannot be synced (Windows), renames are durable anyway. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!["EPERM", "EISDIR", "EINVAL", "ENOTSUP"].includes(String(errorCode(error)))) throw error;
  }
}
