import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { refusalOf } from "./state-error.js";

/** The files of one state. */
export interface Paths {
  readonly folder: string;
  readonly state: string;
  readonly journal: string;
  readonly lock: string;
}

/**
 * Where the files of a state are. Symbolic links are followed to their end, also one whose target does not exist yet:
 * writes go to the target, and two links to one state meet at one lock.
 */
export async function locate(file: string): Promise<Paths> {
  try {
    const state = await followed(file);
    return {
      folder: dirname(state),
      state,
      journal: `${state}.journal`,
      lock: `${state}.lock`,
    };
  } catch (error) {
    throw refusalOf(error, "read", file);
  }
}

async function followed(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  const folder = dirname(file);
  if (folder === file) return file;
  const at = join(await followed(folder), basename(file));
  const target = await readlink(at).catch(() => undefined);
  return target === undefined ? at : followed(resolve(dirname(at), target));
}

/** The system's name of an error, e.g. `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
