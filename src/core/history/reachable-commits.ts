import { GitError, isAncestor, isShallow, type Repository } from "../../base/git/index.js";
import type { Definitions } from "../state/index.js";

/**
 * Whether the checkout contains the commit that was applied, as git says it: by the ancestors of HEAD. `uncommitted`: the
 * applied files differed from the commit; `shallow`: this clone lacks the commits that would tell.
 */
export type Reachability = "reachable" | "unreachable" | "uncommitted" | "shallow";

export interface ReachableCommits {
  lookUp(definitions: Definitions): Promise<Reachability>;
  /** The newest of those that changed the project's folder since a time (ISO 8601), or shortly before it. */
  since(time: string): Promise<readonly string[]>;
  /** Fetches the commits that a shallow clone lacks, from `origin`. */
  deepen(): Promise<void>;
}

const mostSince = 20;
const clockToleranceMs = 5 * 60_000;

/** Undefined before the first commit. */
export async function openReachableCommits(git: Repository): Promise<ReachableCommits | undefined> {
  if ((await git.head()) === undefined) return undefined;
  // What is not here is not fetched one by one.
  const offline = { GIT_NO_LAZY_FETCH: "1" };
  let answers = new Map<string, Promise<boolean>>();
  return {
    async lookUp({ commit, modified }) {
      const answer = answers.get(commit) ?? isAncestor(git, commit, "HEAD", offline);
      answers.set(commit, answer);
      if (await answer) return modified ? "uncommitted" : "reachable";
      return (await isShallow(git)) ? "shallow" : "unreachable";
    },
    async since(time) {
      const from = Math.floor((Date.parse(time) - clockToleranceMs) / 1000) || 0;
      const which = [`--max-count=${mostSince}`, `--since=${from}`];
      const listed = await git.text(["rev-list", ...which, "HEAD", "--", "."]);
      return listed.split("\n").filter((commit) => commit !== "");
    },
    async deepen() {
      if (!(await isShallow(git))) return;
      answers = new Map();
      try {
        await git.run(["fetch", "--quiet", "--no-tags", "--unshallow", "--filter=blob:none", "origin"]);
      } catch (error) {
        // Then it is not known.
        if (!(error instanceof GitError) || error.code === "cancelled") throw error;
      }
    },
  };
}
