import { openRepository, type Repository } from "../../base/git/index.js";
import { isSettled } from "../../core/engine/index.js";
import { openReachableCommits, readHistory } from "../../core/history/index.js";
import type { RecordedDefinitions } from "../../core/state/index.js";
import type { CodeHost, PullRequest } from "../../review/hosts/index.js";
import { hasCode, type Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";
import { listMergedPullRequests } from "./merged-pull-request.js";

/** Definitions recorded by the most recent applies, with their repository. */
export interface LastApply {
  readonly git: Repository;
  /** Definitions from the last complete apply. */
  readonly complete: RecordedDefinitions | undefined;
  /**
   * Definitions of objects that incomplete applies have updated since then, by address. The newest apply of an object
   * counts.
   */
  readonly applied: ReadonlyMap<string, RecordedDefinitions>;
}

export async function readLastApply(runtime: Runtime, project: Project): Promise<LastApply> {
  const { host, signal } = runtime;
  const git = await openRepository({ folder: project.root, environment: host.environment, signal });
  const store = openProjectStore(runtime, project);
  const state = (await store.read())?.state;
  const applied = new Map<string, RecordedDefinitions>();
  for await (const item of state ? readHistory(store.readHistory(), state) : []) {
    const { definitions, results, restored, partial } = item.is === "record" ? item.record : {};
    // A rollback applies recorded texts, not the texts of its commit.
    if (item.is !== "record" || !definitions || !results || restored) continue;
    if (!partial && results.every(({ status, problem }) => isSettled(status, problem)))
      return { git, complete: definitions, applied };
    for (const { address, status } of results)
      if (status === "applied" && !applied.has(address)) applied.set(address, definitions);
  }
  return { git, complete: undefined, applied };
}

/** Maximum number of commits whose pull requests are looked up, with one request each. */
export const maxCommits = 100;

/** Pull requests that merged each commit, oldest commit first. */
export type MergedCommits = ReadonlyMap<string, readonly PullRequest[]>;

/** Returns the pull requests of all commits, each once. */
export function listUniquePullRequests(merged: MergedCommits): readonly PullRequest[] {
  return [...new Set([...merged.values()].flat())];
}

/**
 * Finds the pull requests merged since the last complete apply. Considers only first-parent commits that changed the
 * project's folder. If the last apply is unknown, returns the pull requests that merged the checked-out commit.
 */
export async function findPullRequestsSince(
  host: CodeHost,
  past: LastApply,
  project: Project,
  branch: string | undefined,
): Promise<MergedCommits> {
  // Older commits are skipped, so apply refuses their changes as not reviewed.
  const { commits } = await listCommitsSince(past, project);
  const all = new Set([...commits.slice(-maxCommits), (await past.git.readHead()) ?? ""]);
  return findPullRequestsOfCommits(host, [...all], branch);
}

/**
 * Lists the first-parent commits since the last complete apply that changed the project's folder, oldest first. Returns
 * at most one more than {@link maxCommits}. If the last apply is unknown, returns only the checked-out commit, and
 * `isKnown` is false.
 */
export async function listCommitsSince(
  { git, complete }: Pick<LastApply, "git" | "complete">,
  project: Project,
): Promise<{ readonly commits: readonly string[]; readonly isKnown: boolean }> {
  const commits = await openReachableCommits(git);
  const isKnown = async () =>
    complete !== undefined && (await commits.lookUp({ ...complete, modified: false })) === "reachable";
  if (complete && !(await isKnown())) await commits.deepen();
  const head = (await git.readHead()) ?? "";
  if (!complete || !(await isKnown())) return { commits: [head], isKnown: false };
  return { commits: await listCommits(git, project, `${complete.commit}..HEAD`), isKnown: true };
}

/**
 * Lists the commits after the checked-out one, up to `later`, that changed the project's folder. Returns undefined if
 * there are too many.
 */
export async function listCommitsUpTo(
  git: Repository,
  project: Project,
  later: string,
): Promise<readonly string[] | undefined> {
  const commits = await listCommits(git, project, `HEAD..${later}`);
  return commits.length > maxCommits ? undefined : commits;
}

/**
 * Lists the newest first-parent commits that changed the project's folder, oldest first. Returns at most one more than
 * {@link maxCommits}.
 */
export async function listCommits(
  git: Repository,
  project: Project,
  range: string,
  { readsOutside = false } = {},
): Promise<readonly string[]> {
  // A project with code may read files anywhere in the repository, so all commits count.
  const where = readsOutside || hasCode(project) ? [] : ["--", "."];
  const options = ["--first-parent", `--max-count=${maxCommits + 1}`, range, ...where];
  const listed = await git.readText(["rev-list", ...options]);
  return listed.split("\n").filter(Boolean).toReversed();
}

/**
 * Finds the pull requests that merged commits into a branch. Returns the same `PullRequest` instance for all commits of
 * a pull request.
 */
export async function findPullRequestsOfCommits(
  host: CodeHost,
  commits: readonly string[],
  branch: string | undefined,
): Promise<MergedCommits> {
  const merged = new Map<string, readonly PullRequest[]>();
  const known = new Map<number, PullRequest>();
  for (const commit of commits) {
    const pulls = await listMergedPullRequests(host, commit, branch);
    for (const pull of pulls) if (!known.has(pull.number)) known.set(pull.number, pull);
    merged.set(
      commit,
      pulls.map((pull) => known.get(pull.number) ?? pull),
    );
  }
  return merged;
}
