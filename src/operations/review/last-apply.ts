import { openRepository, type Repository } from "../../base/git/index.js";
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
    if (!partial && results.every(({ status }) => status === "applied"))
      return { git, complete: definitions };
  }
  return { git, complete: undefined };
}

/** More commits than that are not asked about one by one. */
const mostCommits = 100;

/**
 * The pull requests merged since the last complete apply, oldest first: of the commits on the branch itself that changed the folder of
 * the project, as the code host says by which pull request each came. If it is unknown what was applied last, those of the commit that is
 * checked out.
 */
export async function pullRequestsSince(
  host: CodeHost,
  { git, complete }: LastApply,
  project: Project,
  branch: string | undefined,
): Promise<readonly PullRequest[]> {
  const commits = await openReachableCommits(git);
  const isKnown = async () =>
    complete !== undefined && (await commits?.lookUp({ ...complete, modified: false })) === "reachable";
  if (complete && !(await isKnown())) await commits?.deepen();
  const listed: string[] = [];
  if (complete && (await isKnown())) {
    // Code may read files of the whole repository.
    const where = hasCode(project) ? [] : ["--", "."];
    const range = ["--first-parent", `--max-count=${mostCommits}`, `${complete.commit}..HEAD`, ...where];
    listed.push(...(await git.text(["rev-list", ...range])).split("\n").filter(Boolean).toReversed());
  }
  const found = new Map<number, PullRequest>();
  for (const commit of new Set([...listed, (await git.head()) ?? ""]))
    for (const pull of await mergedPullRequests(host, commit, branch)) found.set(pull.number, pull);
  return [...found.values()];
}
