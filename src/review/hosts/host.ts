import type { ProxyOptions } from "../../base/http/index.js";

/** The kinds of code hosts. Forgejo and Codeberg speak Gitea's interface. */
export const hostNames = ["github", "gitlab", "gitea"] as const;

export type HostName = (typeof hostNames)[number];

/** One repository on a code host. A merge request of GitLab is a pull request here. Errors are {@link HostError}s. */
export interface CodeHost {
  readonly name: HostName;
  readonly limits: HostLimits;
  /** The user as whom the token writes. Asked once, then remembered. */
  author(): Promise<Author>;
  /** Whether somebody may push to the repository. Throws a HostError if the token may not ask. */
  mayWrite(person: Author): Promise<boolean>;

  pullRequest(number: number): Promise<PullRequest>;
  /** The open pull requests from a branch of this repository, oldest first: Gitea lets two runs at the same time create one each. */
  openPullRequests(headBranch: string): Promise<readonly PullRequest[]>;
  /** The open pull requests to a branch, last changed first: of the last 20 of the repository. */
  recentPullRequests(baseBranch: string): Promise<readonly PullRequest[]>;
  /** Those that were closed or merged, newest first, as far as one page or the last changes of the repository go. */
  closedPullRequests(headBranch: string): Promise<readonly PullRequest[]>;
  /** Who closed a pull request; undefined if the host does not say. */
  closedBy(number: number): Promise<Author | undefined>;
  /** Not idempotent: see {@link upsertPullRequest}. */
  createPullRequest(made: NewPullRequest): Promise<PullRequest>;
  updatePullRequest(number: number, change: TitledText): Promise<PullRequest>;
  /** Without merging it; its branch stays. */
  closePullRequest(number: number): Promise<void>;
  /** Who has approved a pull request, each with the verdict given last; without approvals that were taken back or dismissed. */
  approvals(pull: PullRequest): Promise<readonly Approval[]>;
  /** The accounts that the addresses in the commits of a pull request belong to. Anybody can write an address; GitLab does not say. */
  committers(pull: PullRequest): Promise<readonly Author[]>;
  /** Everybody who has pushed commits of a pull request; undefined where the host cannot say it of all. */
  pushers(pull: PullRequest): Promise<readonly Author[] | undefined>;

  /** The comments of a pull request, oldest first, read page by page; without those that the host writes itself. */
  comments(pullRequest: number): AsyncIterable<Comment>;
  /** Not idempotent: see {@link upsertComment}. */
  createComment(pullRequest: number, body: string): Promise<Comment>;
  updateComment(pullRequest: number, id: number, body: string): Promise<Comment>;
  /** Does nothing if it is gone. */
  deleteComment(pullRequest: number, id: number): Promise<void>;

  /** Sets the status of a commit; of the same context, the last one counts. */
  createStatus(commit: string, status: CommitStatus): Promise<void>;
  /** The statuses of a commit that our author has set, newest first, read page by page. */
  ownStatuses(commit: string): AsyncIterable<OwnStatus>;
  /** The pull requests by which a commit came to its branch: merged, squashed or rebased. */
  pullRequestsOf(commit: string): Promise<readonly PullRequest[]>;
}

/** The longest texts that a host accepts, in characters (Unicode code points). */
export interface HostLimits {
  /** Longest comment, and description of a pull request. */
  readonly body: number;
  readonly statusDescription: number;
}

export interface Author {
  readonly id: number;
  /** Untrusted, as all texts from the host. */
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
  /** Absent if the account is gone. */
  readonly author?: Author | undefined;
  /** The account that opened it is a bot or app, as far as the host shows. */
  readonly isByBot: boolean;
  readonly headBranch: string;
  /** The commit that the branch points to now. */
  readonly headCommit: string;
  /** What its merge made; GitHub makes one of open pull requests, too. */
  readonly mergeCommit?: string | undefined;
  readonly baseBranch: string;
  /** The commit that the base branch pointed to when the host last looked; GitLab's lists lack it. */
  readonly baseCommit?: string | undefined;
  /** Its head is no branch of this repository, to which only members could push: it is in another one, in one that is gone, or in none. */
  readonly isFromFork: boolean;
}

/** Somebody's approval of a pull request. */
export interface Approval {
  readonly by: Author;
  /** It was given for the last commit. */
  readonly isOfHead: boolean;
  /** Its author may push to the repository. */
  readonly mayWrite: boolean;
  /** When it was given, by the host's clock; absent if the host does not say. */
  readonly atMs?: number | undefined;
}

export interface NewPullRequest extends TitledText {
  /** Both are branches of this repository. */
  readonly headBranch: string;
  readonly baseBranch: string;
}

export interface Comment {
  readonly id: number;
  readonly body: string;
  readonly url: string;
  /** Absent if the account is gone. */
  readonly author?: Author | undefined;
}

export interface CommitStatus {
  /** Such as `avatarops/production`. */
  readonly context: string;
  readonly state: "success" | "failure";
  readonly description: string;
  /** A page with more about it. */
  readonly url?: string;
}

/** A status as it is read. */
export interface OwnStatus extends Pick<CommitStatus, "context" | "description"> {
  /** When it was set, by the host's clock; absent if the host does not say. */
  readonly atMs?: number | undefined;
}

/** A token, and the environment variable that it came from, for messages. */
export interface Token {
  readonly variable: string;
  reveal(): string;
}

/** Which repository of which host, and how to reach it. */
export interface HostOptions {
  readonly name: HostName;
  /** Address of the host's pages, without a slash at the end. */
  readonly webUrl: string;
  /** Address of its API, likewise. */
  readonly apiUrl: string;
  readonly repository: string;
  readonly token: Token;
  /** The token is the one that Gitea Actions gave to the job. */
  readonly isJobToken?: boolean | undefined;
  /** The pipeline that this job belongs to; only on GitLab. */
  readonly pipelineId?: number | undefined;
  readonly userAgent: string;
  readonly proxy?: ProxyOptions | undefined;
  /** Stops waits and reads; a running write is finished. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly backoffMs?: number | undefined;
}

export type OpenHost = (options: HostOptions) => OpenedHost;

export interface OpenedHost {
  readonly host: CodeHost;
  close(): Promise<void>;
}
