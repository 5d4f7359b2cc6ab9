import * as z from "zod";
import { HostError } from "./errors.js";
import { comment, createGithubOperations, pull, user } from "./github-like.js";
import type { Author, HostClient, OpenHost } from "./host.js";
import { collectPushers, openHostApi, takeFirst } from "./host-api.js";

const viewer = z.object({
  data: z.object({ viewer: z.object({ databaseId: z.number(), login: z.string() }) }),
});

const activity = z
  .object({ after: z.string(), activity_type: z.string(), actor: user.nullish() })
  .transform(({ after, activity_type: type, actor }) => {
    return { type, by: actor ?? undefined, commit: after, createsBranch: type === "branch_creation" };
  });

const closing = z.object({ closed_by: user.nullish() });

const perPage = 100;

/** Opens a repository on GitHub or GitHub Enterprise Server. */
export const openGitHub: OpenHost = (options, permissions) => {
  const { repository } = options;
  const api = openHostApi({
    ...options,
    title: "GitHub",
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${options.token.reveal()}`,
    },
    permissions,
    root: `/repos/${repository}`,
    pages: { parameter: "per_page", size: perPage, minEntries: perPage },
  });

  /** Falls back to GraphQL, because `/user` rejects app tokens, including GitHub Actions tokens. */
  async function readAuthor(): Promise<Author> {
    const action = "read the token's account";
    try {
      return await api.get(action, "/user", user);
    } catch (error) {
      if (!(error instanceof HostError && error.code === "host-forbidden")) throw error;
      const query = "query { viewer { databaseId login } }";
      // On GitHub Enterprise Server, REST is at /api/v3 and GraphQL at /api/graphql.
      const { data } = await api.write(action, "POST /../graphql", { query }, viewer, { isIdempotent: true });
      return { id: data.viewer.databaseId, login: data.viewer.login };
    }
  }

  const operations = createGithubOperations(api, repository, {
    readAuthor,
    reviewerMayWrite: ({ by }, mayWrite) => mayWrite(by),
    buildStatusPath: (commit) => `commits/${commit}/statuses`,
    statusOrder: "newest first",
  });
  const [owner] = repository.split("/");
  const host: HostClient = {
    name: "github",
    // Undocumented. GitHub's error for longer bodies contains this number.
    limits: { body: 65_536, statusDescription: 140 },
    ...operations,
    async listPushers({ number, headBranch, headCommit, isFromFork }) {
      const action = `check who pushed to pull request ${number}`;
      const query = { ref: `refs/heads/${headBranch}`, per_page: perPage };
      const list = await api.get(action, "activity", z.array(activity), query);
      return collectPushers(
        headCommit,
        isFromFork ? [] : list.filter(({ type }) => type !== "branch_deletion"),
      );
    },
    listPullRequests({ state, headBranch, baseBranch: base, limit }) {
      const head = headBranch && `${owner}:${headBranch}`;
      const query = { state, head, base, sort: "updated", direction: "desc" };
      return takeFirst(
        api.list(`list the pull requests in ${repository}`, "pulls", z.array(pull), query),
        limit,
      );
    },
    async findCloser(number) {
      const action = `check who closed pull request ${number}`;
      return (await api.get(action, `issues/${number}`, closing)).closed_by ?? undefined;
    },
    listComments: (number) =>
      api.list(`read the comments on pull request ${number}`, `issues/${number}/comments`, z.array(comment)),
    listPullRequestsForCommit(commit) {
      const action = `find the pull request for commit ${commit}`;
      return api.get(action, `commits/${encodeURIComponent(commit)}/pulls`, z.array(pull));
    },
  };
  return { host, close: api.close };
};
