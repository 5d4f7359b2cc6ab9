import { GitError, listFiles, readObjects } from "../../../base/git/index.js";
import { StateError } from "../state-error.js";
import type { GitFolder } from "./git-folder.js";
import type { GitRemote } from "./git-remote.js";
import type { Part, Versioned } from "./swap.js";

export const stateFile = "state.json";
export const recordFile = "apply.json";
/** The text of a lock is that of these files, one after the other. */
export const lockFolder = "lock";

/**
 * Reads refs, and what their commits say.
 *
 * @param parts The commits of other refs are not fetched: states are large.
 */
export async function readRefs(
  folder: GitFolder,
  remote: GitRemote,
  parts: readonly Part[],
): Promise<Versioned[]> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const refs = await remote.refs();
    const read = async () => {
      const texts = await Promise.all(parts.map((part) => readPart(folder, part, refs[part])));
      return texts.every((text) => text !== undefined) ? texts : undefined;
    };
    const commits = parts.map((part) => refs[part]).filter((id) => id !== undefined);
    const here = await read();
    if (here) {
      await folder.allowMissingParents(commits);
      return here;
    }
    const fetched = (await remote.fetch(commits)) ? await read() : undefined;
    if (fetched) return fetched;
  }
  const { location } = remote.address;
  throw new StateError(
    "unreachable",
    location,
    `${location} moves faster than it can be fetched. Run the command again.`,
  );
}

/** Undefined if an object is missing: each run fetches what it needs, and may be killed while it does. */
async function readPart(
  { git }: GitFolder,
  part: Part,
  commit: string | undefined,
): Promise<Versioned | undefined> {
  if (commit === undefined) return { text: undefined, version: undefined };
  try {
    const files = (await listFiles(git, commit, "")).filter(({ path }) =>
      part === "state" ? path === stateFile : path.startsWith(`${lockFolder}/`),
    );
    const ids = files.map(({ id }) => id);
    const objects = await readObjects(git, ids);
    if (objects.includes(undefined)) return undefined;
    const text = objects.map((object) => object?.content.toString("utf8")).join("");
    return { text: files.length > 0 ? text : undefined, version: commit };
  } catch (error) {
    if (error instanceof GitError && error.code === "failed") return undefined;
    throw error;
  }
}
