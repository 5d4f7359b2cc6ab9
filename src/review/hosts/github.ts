import * as z from "zod";
import { HostError } from "./errors.js";
import { comment, githubOperations, pull, user } from "./github-like.js";
import type { Author, CodeHost, OpenHost, PullRequest } from "./host.js";
import { findPushers, openHostApi } from "./host-api.js";
import { permissions } from "./permissions.js";

const viewer = z.object({
  data: z.object({ viewer: z.object({ databaseId: z.number(), login: z.string() }) }),
});

const activity = z
  .object({ after: z.string(), activity_type: z.string(), actor: user.nullish() })
  .transform(({ after, activity_type: type, actor }) => {
    return { type, by: actor ?? undefined, commit: after, isFirst: type === "branch_creation" };
  });

const closing = z.object({ closed_by: user.nullish() });

const perPage = 100;

/** GitHub, and GitHub Enterprise Server. */
export const openGitHub: OpenHost = (options) => {
  const { repository } = options;
  const api = openHostApi({
    ...options,
    title: "GitHub",
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${options.token.reveal()}`,
    },
    permissions: permissions.github,
    root: `/repos/${repository}`,
    pages: { parameter: "per_page", size: perPage, leastEntries: perPage },
  });

  /** The tokens of apps, and so of GitHub Actions, may not ask REST for their user. */
  async function readAuthor(): Promise<Author> {
    const what = "find out whose token it is";
    try {
      return await api.get(what, "/user", user);
    } catch (error) {
      if (!(error instanceof HostError && error.code === "host-forbidden")) throw error;
      const query = "query { viewer { databaseId login } }";
      // It lies beside REST: /api/graphql and /api/v3 on a server of one's own.
      const { data } = await api.write(what, "POST /../graphql", { query }, viewer, { isRepeatable: true });
      return { id: data.viewer.databaseId, login: data.viewer.login };
    }
  }

  const operations = githubOperations(api, repository, {
    readAuthor,
    mayWriteBy: ({ by }, mayWrite) => mayWrite(by),
    statusPath: (commit) => `commits/${commit}/statuses`,
    statusOrder: "newest first",
  });
  /** Newest first. */
  async function pullRequestsFrom(headBranch: string, state: string): Promise<PullRequest[]> {
    const [owner] = repository.split("/");
    const query = { state, head: `${owner}:${headBranch}`, per_page: perPage };
    const what = `look for the pull request of ${headBranch}`;
    const found = await api.get(what, "pulls", z.array(pull), query);
    const own = found.filter((one) => one.headBranch === headBranch && !one.isFromFork);
    return own.toSorted((a, b) => b.number - a.number);
  }

  const host: CodeHost = {
    name: "github",
    // The interface states no limit; it refuses longer bodies with this number.
    limits: { body: 65_536, statusDescription: 140 },
    ...operations,
    async pushers({ number, headBranch, headCommit, isFromFork }) {
      const what = `find out who pushed commits of pull request ${number}`;
      const query = { ref: `refs/heads/${headBranch}`, per_page: perPage };
      const list = await api.get(what, "activity", z.array(activity), query);
      return findPushers(headCommit, isFromFork ? [] : list.filter(({ type }) => type !== "branch_deletion"));
    },
    openPullRequests: async (headBranch) => (await pullRequestsFrom(headBranch, "open")).toReversed(),
    recentPullRequests(base) {
      const query = { state: "open", base, sort: "updated", direction: "desc", per_page: 20 };
      return api.get(`look for other pull requests to ${base}`, "pulls", z.array(pull), query);
    },
    closedPullRequests: (headBranch) => pullRequestsFrom(headBranch, "closed"),
    async closedBy(number) {
      const what = `find out who closed pull request ${number}`;
      return (await api.get(what, `issues/${number}`, closing)).closed_by ?? undefined;
    },
    comments: (number) =>
      api.list(`read the comments of pull request ${number}`, `issues/${number}/comments`, z.array(comment)),
    pullRequestsOf(commit) {
      const what = `look for the pull request of commit ${commit}`;
      return api.get(what, `commits/${encodeURIComponent(commit)}/pulls`, z.array(pull));
    },
  };
  return { host, close: api.close };
};
