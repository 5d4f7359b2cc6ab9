import { dirname } from "node:path";
import { belongsTo, followLinks } from "../../../base/files/index.js";
import { StateError, toFileError } from "../state-error.js";

/** The files of a state. */
export interface Paths {
  readonly folder: string;
  readonly state: string;
  readonly journal: string;
  readonly lock: string;
  readonly history: string;
}

/**
 * Resolves the paths of a state's files. Follows symlinks to their end, even if the target does not exist yet: writes go
 * to the target, and two symlinks to one state share its lock.
 *
 * @throws StateError `outside-project` if they lead out of `root`, or to git's own files in it.
 */
export async function locate(file: string, root?: string): Promise<Paths> {
  try {
    const state = await followLinks(file);
    if (root !== undefined && !belongsTo(await followLinks(root), state))
      throw createOutsideError(file, state);
    return {
      folder: dirname(state),
      state,
      journal: `${state}.journal`,
      lock: `${state}.lock`,
      history: `${state}.history`,
    };
  } catch (error) {
    throw toFileError(error, "read", file);
  }
}

function createOutsideError(file: string, target: string): StateError {
  return new StateError(
    "outside-project",
    file,
    `The state ${file} is a symlink to ${target}, outside the project folder. Remove the symlink: the state must stay in the project.`,
  );
}

/** Returns the system's name of an error, e.g. `ENOENT`. */
export function getErrorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
