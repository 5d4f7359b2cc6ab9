import type { HostName, OpenHost } from "./host.js";

/** Facts about a code host that are known before its client is loaded. */
export interface HostFacts {
  /** URL of the public instance, used if a repository is given without a URL. */
  readonly publicUrl?: string;
  /** Public domains that run this software. */
  readonly domains: readonly string[];
  /** Returns the default API URL. */
  toApiUrl(webUrl: string): string;
  /** Pattern for a repository's path. Default: owner/name. */
  readonly repositoryForm?: RegExp;
  /** Returns the path to a commit's page, relative to the repository's page. */
  toCommitPath(commit: string): string;
  /** Returns the path to a line in a file's source view. The rendered view of Markdown has no line links. */
  toLinePath(line: {
    readonly commit: string;
    /** Encoded file path. */
    readonly path: string;
    readonly line: number;
  }): string;
  /**
   * True if the host does not show who set a status. Any job or user could then mark a plan as reviewed, so reviews
   * must be signed with AVATAROPS_REVIEW_KEY. Default: false.
   */
  readonly hasAnonymousStatuses?: boolean;
  /** Environment variables that may contain the token. The first one that is set is used. */
  readonly tokenVariables: readonly string[];
  /** Explanation of the permissions that a token needs, in sentences. */
  readonly permissions: string;
  /** Loads the host's client module. */
  readonly load: () => Promise<OpenHost>;
}

export const hostFacts: Readonly<Record<HostName, HostFacts>> = {
  github: {
    publicUrl: "https://github.com",
    domains: ["github.com"],
    toApiUrl: (webUrl) => (webUrl === "https://github.com" ? "https://api.github.com" : `${webUrl}/api/v3`),
    toCommitPath: (commit) => `commit/${commit}`,
    toLinePath: ({ commit, path, line }) => `blob/${commit}/${path}?plain=1#L${line}`,
    tokenVariables: ["GITHUB_TOKEN", "GH_TOKEN"],
    permissions:
      "Give the job `permissions: { pull-requests: write, statuses: write }`. On pull requests from forks, the job's token is read-only.",
    load: async () => (await import("./github.js")).openGitHub,
  },
  gitlab: {
    publicUrl: "https://gitlab.com",
    domains: ["gitlab.com"],
    toApiUrl: (webUrl) => `${webUrl}/api/v4`,
    repositoryForm: /^[\w.-]+(\/[\w.-]+)+$/,
    toCommitPath: (commit) => `-/commit/${commit}`,
    toLinePath: ({ commit, path, line }) => `-/blob/${commit}/${path}?plain=1#L${line}`,
    tokenVariables: ["GITLAB_TOKEN"],
    permissions:
      "The token needs the `api` scope, and the Developer role for statuses and merge requests. To comment, the Reporter role is enough.",
    load: async () => (await import("./gitlab.js")).openGitLab,
  },
  gitea: {
    domains: ["gitea.com", "codeberg.org"],
    toApiUrl: (webUrl) => `${webUrl}/api/v1`,
    toCommitPath: (commit) => `commit/${commit}`,
    toLinePath: ({ commit, path, line }) => `src/commit/${commit}/${path}?display=source#L${line}`,
    tokenVariables: ["GITEA_TOKEN", "FORGEJO_TOKEN", "GITHUB_TOKEN"],
    // Setting statuses requires `contents: write`.
    permissions:
      "A job needs `permissions: { contents: write, pull-requests: write }`. Any other token needs the scopes `write:issue`, `write:repository` and `read:user`. On pull requests from forks, the job's token is read-only.",
    load: async () => (await import("./gitea.js")).openGitea,
  },
};
