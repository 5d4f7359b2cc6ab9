import { open, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  createFolders,
  makeFile,
  readPermissions,
  readRegular,
  readRegularSync,
} from "../../../base/files/index.js";
import { toFileError } from "../state-error.js";
import { getErrorCode, locate, type Paths } from "./paths.js";

/** Reads a file. Returns undefined if it does not exist. */
export async function readIfExists(file: string): Promise<string | undefined> {
  return readRegular(file).then(String, (error) => ignoreMissing(error, file));
}

/** Reads a small file synchronously, because it is read often, and an asynchronous read takes five slow calls. */
export function readIfExistsSync(file: string): string | undefined {
  try {
    return String(readRegularSync(file));
  } catch (error) {
    return ignoreMissing(error, file);
  }
}

function ignoreMissing(error: unknown, file: string): undefined {
  if (getErrorCode(error) !== "ENOENT") throw toFileError(error, "read", file);
}

/**
 * Creates the state folder. Only its owner can read it, because weak secrets can be guessed from the state (see
 * secrets/fingerprint.ts). Wider permissions that users set on files are kept.
 */
export async function makeFolder({ folder, state }: Paths): Promise<void> {
  try {
    const first = await createFolders(folder, 0o700);
    if (first !== undefined) await syncNames(folder, first);
  } catch (error) {
    throw toFileError(error, "write", state);
  }
}

/**
 * Replaces a file's text atomically. After a power failure, the file contains either the complete old text or the
 * complete new text.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const next = `${file}.next`;
  try {
    // Removes a leftover from a crash.
    await rm(next, { force: true });
    await makeFile(next, text, (await readPermissions(file)) ?? 0o600);
    await rename(next, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(next, { force: true }).catch(() => undefined);
    throw toFileError(error, "write", file);
  }
}

/** Writes a saved plan completely or not at all. Follows symlinks. A new file is readable only by its owner. */
export async function writeAtomically(file: string, text: string): Promise<void> {
  const { state: target } = await locate(file);
  const facts = await stat(target).catch(() => undefined);
  if (!facts || facts.isFile()) return replaceFile(target, text);
  try {
    // A device or pipe, such as /dev/stdout, must not be replaced.
    await writeFile(target, text);
  } catch (error) {
    throw toFileError(error, "write", file);
  }
}

/**
 * Makes the names of new folders durable, from `last` to `first`. Otherwise, the journal could be lost along with its
 * folder.
 */
async function syncNames(last: string, first: string): Promise<void> {
  for (let folder = last; folder.length >= first.length; folder = dirname(folder)) {
    await syncFolder(dirname(folder));
  }
}

/** Makes the names in a folder durable. Windows cannot sync folders, but its renames are durable. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!["EPERM", "EISDIR", "EINVAL", "ENOTSUP"].includes(String(getErrorCode(error)))) throw error;
  }
}
