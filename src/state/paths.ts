import { dirname } from "node:path";
import { belongsTo, followLinks } from "../files/index.js";
import { refusalOf, StateError } from "./state-error.js";

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
 *
 * @throws StateError `outside-project` where they lead out of `root`, or to git's own files in it.
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
    };
  } catch (error) {
    throw refusalOf(error, "read", file);
  }
}

function outside(file: string, target: string): StateError {
  return new StateError(
    "outside-project",
    file,
    `A link leads the state ${file} out of the project folder, to ${target}. Remove the link: the state stays in the project.`,
  );
}

/** The system's name of an error, e.g. `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
