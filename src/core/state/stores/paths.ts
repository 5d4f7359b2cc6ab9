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
 * The paths of a state's files. Follows symbolic links to their end, even if the target does not exist yet:
 * writes go to the target, and two links to one state use one lock.
 *
 * @throws StateError `outside-project` if they lead out of `root`, or to git's own files in it.
 */
export async function locate(file: string, root?: string): Promise<Paths> {
  try {
    const state = await followLinks(file);
    if (root !== undefined && !belongsTo(await followLinks(root), state)) throw outside(file, state);
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

function outside(file: string, target: string): StateError {
  return new StateError(
    "outside-project",
    file,
    `The state ${file} is a link to ${target}, outside the project folder. Remove the link: the state must stay in the project.`,
  );
}

/** The system's name of an error, e.g. `ENOENT`. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
