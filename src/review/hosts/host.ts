import type { ProxyOptions } from "../../base/http/index.js";

/** Supported code hosts. Forgejo and Codeberg use Gitea's API. */
export const hostNames = ["github", "gitlab", "gitea"] as const;

export type HostName = (typeof hostNames)[number];

/**
 * Client for a repository on a code host, implemented once per host. "Pull requests" includes GitLab's merge requests.
 *
 * @throws {@link HostError}
 */
export interface HostClient {
  readonly name: HostName;
  readonly limits: HostLimits;
  /** Returns the token's user. Cached. */
  getAuthor(): Promise<Author>;
  /** Returns whether a user has write access. Throws a HostError if the token lacks the permission to check. */
  mayWrite(person: Author): Promise<boolean>;

  getPullRequest(number: number): Promise<PullRequest>;
  /** Lists pull requests, last updated first. Hosts that cannot filter return other pull requests as well. */
  listPullRequests(filter: PullRequestFilter): Promise<readonly PullRequest[]>;
  /** Returns the user who closed a pull request, if known. */
  findCloser?(number: number): Promise<Author | undefined>;
  /** Creates a pull request. Not idempotent (see {@link upsertPullRequest}). */
  createPullRequest(made: NewPullRequest): Promise<PullRequest>;
  /** Changes the title and body, or closes the pull request. Closing neither merges it nor deletes its branch. */
  updatePullRequest(number: number, change: TitledText | { readonly state: "closed" }): Promise<PullRequest>;
  /** Lists approvals, counting only each user's latest verdict. Omits withdrawn and dismissed approvals. */
  listApprovals(pull: PullRequest): Promise<readonly Approval[]>;
  /** Lists the users whose email addresses appear in a pull request's commits (unverified). */
  listCommitters?(pull: PullRequest): Promise<readonly Author[]>;
  /** Lists all users who pushed commits of a pull request, or returns undefined if some are unknown. */
  listPushers?(pull: PullRequest): Promise<readonly Author[] | undefined>;

  /** Lists a pull request's comments, oldest first, one page at a time. Omits the host's own comments. */
  listComments(pullRequest: number): AsyncIterable<Comment>;
  /** Creates a comment. Not idempotent (see {@link upsertComment}). */
  createComment(pullRequest: number, body: string): Promise<Comment>;
  updateComment(pullRequest: number, id: number, body: string): Promise<Comment>;
  /** Deletes a comment, if it still exists. */
  deleteComment(pullRequest: number, id: number): Promise<void>;

  /** Sets a commit's status. It replaces the previous status with the same context. */
  createStatus(commit: string, status: CommitStatus): Promise<void>;
  /** Lists a commit's statuses set by the token's user, newest first, one page at a time. */
  listOwnStatuses(commit: string): AsyncIterable<OwnStatus>;
  /** Lists the pull requests through which a commit reached its branch: merged, squashed or rebased. */
  listPullRequestsForCommit(commit: string): Promise<readonly PullRequest[]>;
}

/** A host's client, with additional operations built on it. */
export interface CodeHost extends Required<HostClient> {
  /** Lists open pull requests from a branch of this repository, oldest first. Concurrent runs can create duplicates. */
  listOpenPullRequests(headBranch: string): Promise<readonly PullRequest[]>;
  /** Lists at most 20 open pull requests to a branch, most recently updated first. */
  listRecentPullRequests(baseBranch: string): Promise<readonly PullRequest[]>;
  /** Lists closed and merged pull requests from a branch, newest first. Scans at most 500. */
  listClosedPullRequests(headBranch: string): Promise<readonly PullRequest[]>;
}

export interface PullRequestFilter {
  /** Closed pull requests include merged ones. */
  readonly state: "open" | "closed";
  /** Branch of this repository. */
  readonly headBranch?: string;
  readonly baseBranch?: string;
  /** Maximum number of pull requests to read. Default: all. */
  readonly limit?: number;
}

/** Maximum lengths that a host accepts, in Unicode code points. */
export interface HostLimits {
  /** Length of comments and of pull request descriptions. */
  readonly body: number;
  readonly statusDescription: number;
}

export interface Author {
  readonly id: number;
  /** User name. Untrusted, like all strings from the host. */
  readonly login: string;
}

/** Title and body, in Markdown. */
export interface TitledText {
  readonly title: string;
  readonly body: string;
}

export interface PullRequest extends TitledText {
  readonly number: number;
  readonly url: string;
  readonly isOpen: boolean;
  readonly isMerged: boolean;
  /** Author. Omitted if the user no longer exists. */
  readonly author?: Author | undefined;
  /** Whether a bot or app opened the pull request, if the host reports this. */
  readonly isByBot: boolean;
  readonly headBranch: string;
  /** The branch's current commit. */
  readonly headCommit: string;
  /** Merge commit. On GitHub, open pull requests also have one. */
  readonly mergeCommit?: string | undefined;
  readonly baseBranch: string;
  /** Base branch commit at the host's last update of the pull request. Absent in GitLab's lists. */
  readonly baseCommit?: string | undefined;
  /** Whether the head did not come from a branch of this repository. Anyone could then have pushed it. */
  readonly isFromFork: boolean;
}

/** One user's approval of a pull request. */
export interface Approval {
  readonly by: Author;
  /** Whether the approval covers the last commit. */
  readonly coversHead: boolean;
  /** Whether the approver has write access. */
  readonly mayWrite: boolean;
  /** Time of the approval by the host's clock, if known. */
  readonly atMs?: number | undefined;
}

export interface NewPullRequest extends TitledText {
  /** Branch with the changes, in this repository. */
  readonly headBranch: string;
  readonly baseBranch: string;
}

export interface Comment {
  readonly id: number;
  readonly body: string;
  readonly url: string;
  /** Author. Omitted if the user no longer exists. */
  readonly author?: Author | undefined;
}

export interface CommitStatus {
  /** Name of the status, such as `avatarops/production`. */
  readonly context: string;
  readonly state: "success" | "failure";
  readonly description: string;
  /** Page with details. */
  readonly url?: string;
}

/** A status read from the host. */
export interface OwnStatus extends Pick<CommitStatus, "context" | "description"> {
  /** Time of the status by the host's clock, if known. */
  readonly atMs?: number | undefined;
}

/** A token, with the name of its environment variable for messages. */
export interface Token {
  readonly variable: string;
  reveal(): string;
}

/** Repository on a host, with the connection settings. */
export interface HostOptions {
  readonly name: HostName;
  /** URL of the host's pages, without a trailing slash. */
  readonly webUrl: string;
  /** URL of the host's API, without a trailing slash. */
  readonly apiUrl: string;
  readonly repository: string;
  readonly token: Token;
  /** Whether Gitea Actions issued the token to the job. */
  readonly isJobToken?: boolean | undefined;
  /** This job's pipeline. Only on GitLab. */
  readonly pipelineId?: number | undefined;
  readonly userAgent: string;
  readonly proxy?: ProxyOptions | undefined;
  /** Signal that aborts waits and reads. A running write completes. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly backoffMs?: number | undefined;
}

/** Opens a repository. `permissions` explains which permissions the token needs. */
export type OpenHost = (options: HostOptions, permissions: string) => OpenedHost;

export interface OpenedHost {
  readonly host: HostClient;
  close(): Promise<void>;
}
