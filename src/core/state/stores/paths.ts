import { dirname } from "node:path";
import { belongsTo, followLinks } from "../../../base/files/index.js";
import { StateError, toFileError } from "../state-error.js";

/** Paths of a state file and the files next to it. */
export interface Paths {
  readonly folder: string;
  readonly state: string;
  readonly journal: string;
  readonly lock: string;
  readonly history: string;
}

/**
 * Resolves a state's file paths. Follows symlinks even to a missing target, so that two symlinks to one state share its
 * lock.
 *
 * @throws StateError `outside-project` if the file is outside `root`, or belongs to git.
 */
export async function locate(file: string, root?: string): Promise<Paths> {
  try {
    const state = await followLinks(file);
    if (root !== undefined && !belongsTo(await followLinks(root), state))
      throw createOutsideError(file, belongsTo(root, file) ? state : undefined);
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

/** Returns the error for a state outside the project. `target` is set if a symlink leads there. */
function createOutsideError(file: string, target: string | undefined): StateError {
  const message =
    target === undefined
      ? `The state ${file} is outside the project folder, or in a .git folder. Use a file in the project folder, such as .avatarops/staging.json.`
      : `The state ${file} is a symlink to ${target}, outside the project folder. Remove the symlink, because the state must stay in the project.`;
  return new StateError("outside-project", file, message);
}

/** Returns the system's name for an error, such as `ENOENT`. */
export function getErrorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
