import { GitError, listFiles, readObjects } from "../../../base/git/index.js";
import { type Holder, parseHolder } from "../lock-holder.js";
import { StateError } from "../state-error.js";
import type { GitFolder } from "./git-folder.js";
import type { GitRemote, Refs } from "./git-remote.js";

export const stateFile = "state.json";
export const recordFile = "apply.json";
export const holderFile = "holder.json";
export const journalFolder = "journal";
/** In the place of a holder: nobody holds the lock, and a journal is kept. */
export const noHolder = "null\n";

/** A commit of the lock's ref. */
export interface LockCommit {
  readonly id: string;
  readonly holder: Holder | undefined;
  /** Nobody holds the lock: the ref is there for the journal that an interrupted run left. */
  readonly isFree: boolean;
  readonly journal: string | undefined;
  /** How many times the journal was appended to. */
  readonly appends: number;
}

/** What the commits of both refs say. */
export interface RefTexts {
  /** Commit of the state. */
  readonly commit: string | undefined;
  readonly state: string | undefined;
  /** The record of that commit. */
  readonly record: string | undefined;
  readonly lock: LockCommit | undefined;
}

/**
 * Reads the refs, and what their commits say.
 *
 * @param which One ref, for which the other's commit is not fetched: states are large.
 * @param known The refs, if they were just read.
 */
export async function readRefs(
  folder: GitFolder,
  remote: GitRemote,
  which: "both" | "lock",
  known?: Refs,
): Promise<RefTexts> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const { state, lock } = (attempt === 1 && known) || (await remote.refs());
    const texts = await readTexts(folder, remote, { lock, state: which === "both" ? state : undefined });
    if (texts) return { ...texts, commit: state };
  }
  const { location } = remote.address;
  throw new StateError(
    "unreachable",
    location,
    `${location} moves faster than it can be fetched. Run the command again.`,
  );
}

/** Fetches the commits unless they are here. Undefined if the server no longer has one. */
async function readTexts(
  folder: GitFolder,
  remote: GitRemote,
  refs: Refs,
): Promise<Omit<RefTexts, "commit"> | undefined> {
  const commits = [refs.lock, refs.state].filter((id) => id !== undefined);
  const here = await readLocalTexts(folder, refs);
  if (here) {
    await folder.allowMissingParents(commits);
    return here;
  }
  return (await remote.fetch(commits)) ? await readLocalTexts(folder, refs) : undefined;
}

/** Undefined if an object is missing: each run fetches what it needs, and may be killed while it does. */
async function readLocalTexts(folder: GitFolder, refs: Refs): Promise<Omit<RefTexts, "commit"> | undefined> {
  const [lock, state] = await Promise.all([refs.lock, refs.state].map((commit) => readFiles(folder, commit)));
  if (!lock || !state) return undefined;
  const journal = [...lock].filter(([name]) => name.startsWith(`${journalFolder}/`));
  const holder = lock.get(holderFile) ?? "";
  return {
    state: state.get(stateFile),
    record: state.get(recordFile),
    lock:
      refs.lock === undefined
        ? undefined
        : {
            id: refs.lock,
            holder: parseHolder(holder),
            isFree: holder === noHolder,
            journal: journal.length > 0 ? journal.map(([, text]) => text).join("") : undefined,
            appends: journal.length,
          },
  };
}

/** The texts of a commit by path, in order; of no commit, none; undefined if an object is not here. */
async function readFiles(
  { git }: GitFolder,
  commit: string | undefined,
): Promise<ReadonlyMap<string, string> | undefined> {
  if (commit === undefined) return new Map();
  try {
    const files = await listFiles(git, commit, "");
    const objects = await readObjects(
      git,
      files.map(({ id }) => id),
    );
    if (objects.includes(undefined)) return undefined;
    return new Map(files.map(({ path }, at) => [path, objects[at]?.content.toString("utf8") ?? ""]));
  } catch (error) {
    if (error instanceof GitError && error.code === "failed") return undefined;
    throw error;
  }
}
