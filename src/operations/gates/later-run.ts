import { UsageError } from "../../base/diagnostics/index.js";
import { GitError, isAncestor, openRepository, resolveCommit } from "../../base/git/index.js";
import { isSettled } from "../../core/engine/index.js";
import { readHistory } from "../../core/history/index.js";
import type { RecordedResult } from "../../core/state/index.js";
import { readRemoteTip, readRunBranch } from "../project/applied-branch.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";

/*
 * After several merges within seconds, the job of an early merge may find that its environment, or a required one,
 * already has the files of a later merge. The later job then applies both changes, if all commits up to that merge were
 * reviewed and approved.
 */

/** Thrown before any write if the run of a later commit applies this change. */
export class LaterRunError extends UsageError {
  constructor(environment: string, commit: string) {
    super(
      "later-run",
      `Nothing to do in this run: ${environment} already has the later commit ${commit.slice(0, 10)}, and the run for that commit includes this change.`,
    );
  }
}

/** Apply of all objects in an environment. */
interface FullApply {
  readonly commit: string;
  readonly results: readonly RecordedResult[];
}

/** Apply of the checked-out commit or a later commit. */
export interface LaterApply extends FullApply {
  readonly isLater: boolean;
}

/** Returns the objects that a run did not finish, with their problems. */
export function findUnfinishedObjects(
  results: readonly RecordedResult[],
): ReadonlyMap<string, string | undefined> {
  const undone = results.filter(({ status, problem }) => !isSettled(status, problem));
  return new Map(undone.map(({ address, problem }) => [address, problem]));
}

/**
 * Finds the newest full apply in an environment, if its commit is the checked-out one or comes later on the applied
 * branch.
 *
 * @param other Project loaded for that environment.
 * @returns undefined if there is none, or if git or the remote fails.
 */
export async function findLaterApply(runtime: Runtime, other: Project): Promise<LaterApply | undefined> {
  try {
    const { host, signal } = runtime;
    const git = await openRepository({ folder: other.root, environment: host.environment, signal });
    const [head, applied] = [await git.readHead(), await readLastFullApply(runtime, other)];
    if (head === undefined || applied === undefined) return undefined;
    if (applied.commit === head) return { ...applied, isLater: false };
    // A commit applied by hand may not be on the branch, and then no later run would include this change.
    const branch = await readRunBranch(runtime, git);
    const tip = branch === undefined ? undefined : await readRemoteTip(git, branch);
    if (tip === undefined || (await resolveCommit(git, applied.commit)) === undefined) return undefined;
    const isLater =
      (await isAncestor(git, head, applied.commit)) && (await isAncestor(git, applied.commit, tip));
    return isLater ? { ...applied, isLater } : undefined;
  } catch (error) {
    if (error instanceof GitError && !runtime.signal.aborted) return undefined;
    throw error;
  }
}

/** Reads the newest apply of all objects, even if incomplete. */
async function readLastFullApply(runtime: Runtime, project: Project): Promise<FullApply | undefined> {
  const store = openProjectStore(runtime, project);
  const state = (await store.read())?.state;
  for await (const item of state ? readHistory(store.readHistory(), state) : []) {
    const { definitions, results, restored, partial } = item.is === "record" ? item.record : {};
    if (!definitions || !results || partial) continue;
    return restored || definitions.modified ? undefined : { commit: definitions.commit, results };
  }
  return undefined;
}
