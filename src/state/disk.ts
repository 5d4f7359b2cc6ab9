import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFile, permissionsOf, readRegular } from "../files/index.js";
import { codeOf, locate, type Paths } from "./paths.js";
import { refusalOf } from "./state-error.js";

/** The text of a file; undefined where there is none. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readRegular(file)).toString("utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw refusalOf(error, "read", file);
  }
}

/**
 * Makes the state's folder. It and the files are for their owner alone, because the state holds what is needed to
 * guess at weak secrets (see secrets/fingerprint.ts); who wants to share them widens the permissions, and what exists
 * keeps its own.
 */
export async function makeFolder({ folder, state }: Paths): Promise<void> {
  try {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (first !== undefined) await syncNames(folder, first);
  } catch (error) {
    // EEXIST: something that is no folder has the name.
    throw refusalOf(
      codeOf(error) === "EEXIST" ? Object.assign(new Error(), { code: "ENOTDIR" }) : error,
      "write",
      state,
    );
  }
}

/**
 * Puts a new text in a file's place: at any moment, also when the power fails, the file is the old one or the new one,
 * whole. Hence the order: write beside it, sync the bytes, rename, sync the folder that holds the name.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const next = `${file}.next`;
  try {
    // What a crash left there goes first.
    await rm(next, { force: true });
    await makeFile(next, text, (await permissionsOf(file)) ?? 0o600);
    await rename(next, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(next, { force: true }).catch(() => undefined);
    throw refusalOf(error, "write", file);
  }
}

/** Writes a file whole or not at all, for its owner alone unless it exists; for saved plans. Follows links. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const { state: target } = await locate(file);
  const facts = await stat(target).catch(() => undefined);
  if (!facts || facts.isFile()) return replaceFile(target, text);
  try {
    // A device or a pipe, e.g. /dev/stdout: nothing may take its place.
    await writeFile(target, text);
  } catch (error) {
    throw refusalOf(error, "write", file);
  }
}

/** Makes the names of new folders durable, from the last to the first: the journal is lost with its folder's name. */
async function syncNames(last: string, first: string): Promise<void> {
  for (let folder = last; folder.length >= first.length; folder = dirname(folder)) {
    await syncFolder(dirname(folder));
  }
}

/** Makes the names in a folder durable. Where folders cannot be synced (Windows), renames are durable as they are. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!["EPERM", "EISDIR", "EINVAL", "ENOTSUP"].includes(String(codeOf(error)))) throw error;
  }
}
