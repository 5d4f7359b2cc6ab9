import { openRepository, type Repository } from "../../base/git/index.js";
import { isSettled } from "../../core/engine/index.js";
import { openReachableCommits, readHistory } from "../../core/history/index.js";
import type { Definitions } from "../../core/state/index.js";
import type { CodeHost, PullRequest } from "../../review/hosts/index.js";
import { hasCode, type Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";
import { mergedPullRequests } from "./merged-pull-request.js";

/** The repository, and what was applied last. */
export interface LastApply {
  readonly git: Repository;
  /** Definitions of the last apply that left nothing undone. */
  readonly complete: Definitions | undefined;
}

export async function readLastApply(runtime: Runtime, project: Project): Promise<LastApply> {
  const { host, signal } = runtime;
  const git = await openRepository({ folder: project.root, environment: host.environment, signal });
  const store = openProjectStore(runtime, project);
  const snapshot = await store.read();
  for await (const item of snapshot ? readHistory(store.history(), snapshot.state) : []) {
    const { definitions, results, restored, partial } = item.is === "record" ? item.record : {};
    // A rollback applies other texts than those of its commit.
    if (item.is !== "record" || !definitions || !results || restored) continue;
    if (!partial && results.every(({ status, problem }) => isSettled(status, problem)))
      return { git, complete: definitions };
  }
  return { git, complete: undefined };
}

/** Maximum number of commits whose pull requests are looked up: each takes a request. */
export const maxCommits = 100;

/**
 * The pull requests merged since the last complete apply, oldest first: of the commits on the branch itself that changed the folder of
 * the project, as the code host says by which pull request each came. If it is unknown what was applied last, those of the commit that is
 * checked out.
 */
export async function pullRequestsSince(
  host: CodeHost,
  past: LastApply,
  project: Project,
  branch: string | undefined,
): Promise<readonly PullRequest[]> {
  // A change of an earlier commit is not found in their reviews, and is refused.
  const since = (await commitsSince(past, project)).slice(-maxCommits);
  const commits = new Set([...since, (await past.git.head()) ?? ""]);
  return (await pullRequestsOfCommits(host, [...commits], branch)).pulls;
}

/**
 * The commits of the branch itself since the last complete apply that changed the project's folder, oldest first: the newest
 * {@link maxCommits} and one more.
 */
export async function commitsSince(
  { git, complete }: LastApply,
  project: Project,
): Promise<readonly string[]> {
  const commits = await openReachableCommits(git);
  const isKnown = async () =>
    complete !== undefined && (await commits.lookUp({ ...complete, modified: false })) === "reachable";
  if (complete && !(await isKnown())) await commits.deepen();
  const head = (await git.head()) ?? "";
  if (!complete || !(await isKnown())) return [head];
  // Code may read files of the whole repository.
  const where = hasCode(project) ? [] : ["--", "."];
  const range = ["--first-parent", `--max-count=${maxCommits + 1}`, `${complete.commit}..HEAD`, ...where];
  return (await git.text(["rev-list", ...range])).split("\n").filter(Boolean).toReversed();
}

/** The merged pull requests by which commits came to a branch, and the commits that came by none. */
export async function pullRequestsOfCommits(
  host: CodeHost,
  commits: readonly string[],
  branch: string | undefined,
): Promise<{ readonly pulls: readonly PullRequest[]; readonly unknown: readonly string[] }> {
  const found = new Map<number, PullRequest>();
  const unknown: string[] = [];
  for (const commit of commits) {
    const pulls = await mergedPullRequests(host, commit, branch);
    if (pulls.length === 0) unknown.push(commit);
    for (const pull of pulls) found.set(pull.number, pull);
  }
  return { pulls: [...found.values()], unknown };
}
