import { UsageError } from "../../base/diagnostics/index.js";
import { commitNamed, GitError, isAncestor, openRepository } from "../../base/git/index.js";
import { isSettled } from "../../core/engine/index.js";
import { readHistory } from "../../core/history/index.js";
import type { RecordedResult } from "../../core/state/index.js";
import { readRemoteTip, readRunBranch } from "../project/applied-branch.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";

/*
 * Several merges within seconds: the first job finds that its environment, or one that it needs, already has the files of the last merge.
 * That merge has a job of its own, which also applies this change, if everything up to it was reviewed and approved.
 */

/** Nothing was written: the run of a later commit has the work. */
export class LaterRunError extends UsageError {
  constructor(environment: string, commit: string) {
    super(
      "later-run",
      `Nothing to do in this run: ${environment} has the later commit ${commit.slice(0, 10)} already, whose own run includes this change.`,
    );
  }
}

/** The newest apply of all objects of an environment. */
interface FullApply {
  readonly commit: string;
  readonly results: readonly RecordedResult[];
}

/** One that had the checked-out commit, or a later one. */
export interface ReachingApply extends FullApply {
  readonly isLater: boolean;
}

/** Why a run did not do everything for an object, by address. */
export function findUndone(results: readonly RecordedResult[]): ReadonlyMap<string, string | undefined> {
  const undone = results.filter(({ status, problem }) => !isSettled(status, problem));
  return new Map(undone.map(({ address, problem }) => [address, problem]));
}

/**
 * Finds the newest apply of an environment, if it had the commit that is checked out, or one on the applied branch that descends from it.
 *
 * @param other The environment's project.
 * @returns undefined if git or the remote cannot tell.
 */
export async function findReachingApply(
  runtime: Runtime,
  other: Project,
): Promise<ReachingApply | undefined> {
  try {
    const { host, signal } = runtime;
    const git = await openRepository({ folder: other.root, environment: host.environment, signal });
    const [head, applied] = [await git.head(), await readLastFullApply(runtime, other)];
    if (head === undefined || applied === undefined) return undefined;
    if (applied.commit === head) return { ...applied, isLater: false };
    // A commit that was applied by hand may be on no branch, and then no other run applies it.
    const branch = await readRunBranch(runtime, git);
    const tip = branch === undefined ? undefined : await readRemoteTip(git, branch);
    if (tip === undefined || (await commitNamed(git, applied.commit)) === undefined) return undefined;
    const isLater =
      (await isAncestor(git, head, applied.commit)) && (await isAncestor(git, applied.commit, tip));
    return isLater ? { ...applied, isLater } : undefined;
  } catch (error) {
    if (error instanceof GitError && !runtime.signal.aborted) return undefined;
    throw error;
  }
}

/** Reads the newest apply of all objects, whether or not it could do everything. */
async function readLastFullApply(runtime: Runtime, project: Project): Promise<FullApply | undefined> {
  const store = openProjectStore(runtime, project);
  const snapshot = await store.read();
  for await (const item of snapshot ? readHistory(store.history(), snapshot.state) : []) {
    const { definitions, results, restored, partial } = item.is === "record" ? item.record : {};
    if (!definitions || !results || partial) continue;
    return restored || definitions.modified ? undefined : { commit: definitions.commit, results };
  }
  return undefined;
}
