import type { Clone } from "./clone.js";

/** Where the team's repository is, and what a pull request is there. */
export interface CodeHost {
  /** The repository's address for git. It is empty at first. */
  readonly remote: string;
  /** A pull request for a pushed branch. */
  openPullRequest(branch: string, title: string): Promise<PullRequest>;
  /** The options by which the pipeline applies what was reviewed, and nothing else. */
  optionsToApply(reviewed: Reviewed): readonly string[];
  /** Brings edits from the dashboard back, in a checkout of this commit of main; the pull request with them. */
  bringBack(checkout: Clone, commit: string): Promise<PullRequest>;
  /** Merges it, as a reviewer does; the commit that is on main then. */
  merge(pullRequest: PullRequest): Promise<string>;
  /** The environment of a job that runs for a pull request, or for a commit on main. */
  jobFor(what: PullRequest | { readonly commit: string }): Promise<Readonly<Record<string, string>>>;
  /** Shows what the pull request would change, in a checkout of its head, as the pipeline does. */
  review(checkout: Clone, pullRequest: PullRequest): Promise<Reviewed>;
}

export interface PullRequest {
  readonly number: number;
  readonly branch: string;
}

/** What reviewers see. */
export interface Reviewed {
  /** The comments of the pull request that tell the plan, in Markdown. */
  readonly comments: readonly string[];
  /** The digest of the plan. */
  readonly digest: string;
}
