import { UsageError } from "../../base/diagnostics/index.js";
import { commitNamed, GitError, isAncestor, openRepository } from "../../base/git/index.js";
import { readHistory } from "../../core/history/index.js";
import { readRemoteTip, readRunBranch } from "../project/applied-branch.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";

/*
 * Several merges within seconds: the first job finds that its environment, or one that it needs, already has the files of the last merge.
 * That merge has a job of its own, which applies everything.
 */

/** Nothing was written: the run of a later commit has the work. */
export class LaterRunError extends UsageError {
  constructor(environment: string, commit: string) {
    super(
      "later-run",
      `Nothing to do in this run: ${environment} has the later commit ${commit.slice(0, 10)} already, whose own run applies everything.`,
    );
  }
}

/**
 * Finds the commit that an environment applied last, if it is on the applied branch and descends from the one that is checked out.
 *
 * @param other The environment's project.
 * @returns undefined if git or the remote cannot tell.
 */
export async function findLaterCommit(runtime: Runtime, other: Project): Promise<string | undefined> {
  try {
    const { host, signal } = runtime;
    const git = await openRepository({ folder: other.root, environment: host.environment, signal });
    const [head, applied] = [await git.head(), await readAppliedCommit(runtime, other)];
    if (head === undefined || applied === undefined || applied === head) return undefined;
    // A commit that was applied by hand may be on no branch, and then no other run applies it.
    const branch = await readRunBranch(runtime, git);
    const tip = branch === undefined ? undefined : await readRemoteTip(git, branch);
    if (tip === undefined || (await commitNamed(git, applied)) === undefined) return undefined;
    const isLater = (await isAncestor(git, head, applied)) && (await isAncestor(git, applied, tip));
    return isLater ? applied : undefined;
  } catch (error) {
    if (error instanceof GitError && !runtime.signal.aborted) return undefined;
    throw error;
  }
}

/** Reads the commit of the newest apply of all objects, whether or not it could do everything. */
async function readAppliedCommit(runtime: Runtime, project: Project): Promise<string | undefined> {
  const store = openProjectStore(runtime, project);
  const snapshot = await store.read();
  for await (const item of snapshot ? readHistory(store.history(), snapshot.state) : []) {
    const { definitions, results, restored, partial } = item.is === "record" ? item.record : {};
    if (!definitions || !results || partial) continue;
    return restored || definitions.modified ? undefined : definitions.commit;
  }
  return undefined;
}
