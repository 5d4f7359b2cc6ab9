import * as z from "zod";
import type { CodeHost, Comment, Issue, PullRequest } from "./host.js";
import { type HostApi, orIfNotFound } from "./host-api.js";

/*
 * GitHub's interface, which Gitea's follows: what both have.
 */

export const user = z.object({ id: z.number(), login: z.string() });

export const comment = z
  .object({ id: z.number(), body: z.string().nullish(), html_url: z.string(), user: user.nullish() })
  .transform(
    ({ id, body, html_url, user }): Comment => ({
      id,
      body: body ?? "",
      url: html_url,
      author: user ?? undefined,
    }),
  );

export const issue = z
  .object({
    number: z.number(),
    title: z.string(),
    body: z.string().nullish(),
    html_url: z.string(),
    user: user.nullish(),
    pull_request: z.unknown().optional(),
  })
  .transform(({ number, title, body, html_url, user, pull_request }): Issue & { isPullRequest: boolean } => ({
    number,
    title,
    body: body ?? "",
    url: html_url,
    author: user ?? undefined,
    isPullRequest: pull_request !== undefined && pull_request !== null,
  }));

export const status = z.object({
  /** Gitea: the number of the status of its commit. */
  id: z.number(),
  context: z.string(),
  description: z.string().nullish(),
  creator: user.nullish(),
});

/** The path of a repository, whose name is checked when it is read. */
export function repositoryPath(repository: string): `/${string}` {
  return `/repos/${repository}`;
}

/** The permissions that include that to push; Gitea has `owner` too. */
export const writing: ReadonlySet<string> = new Set(["write", "admin", "owner"]);

const permission = z.object({ permission: z.string() }).transform((given) => writing.has(given.permission));

export function githubOperations(api: HostApi, repository: string, pull: z.ZodType<PullRequest>) {
  const path = repositoryPath(repository);
  return {
    mayWrite: ({ login }) =>
      orIfNotFound(
        false,
        api.get(
          `find out whether ${login} may push to ${repository}`,
          `${path}/collaborators/${encodeURIComponent(login)}/permission`,
          permission,
        ),
      ),

    pullRequest: (number) =>
      api.get(`read pull request ${number} of ${repository}`, `${path}/pulls/${number}`, pull),
    createPullRequest({ title, body, headBranch: head, baseBranch: base }) {
      const made = { title, body, head, base };
      return api.write(`create the pull request of ${head}`, `POST ${path}/pulls`, made, pull);
    },
    updatePullRequest: (number, { title, body }) =>
      api.write(`update pull request ${number}`, `PATCH ${path}/pulls/${number}`, { title, body }, pull),
    async closePullRequest(number) {
      const change = { state: "closed" };
      await api.write(`close pull request ${number}`, `PATCH ${path}/pulls/${number}`, change, z.unknown());
    },

    createComment: (number, body) =>
      api.write(
        `comment on pull request ${number}`,
        `POST ${path}/issues/${number}/comments`,
        { body },
        comment,
      ),
    updateComment: (_number, id, body) =>
      api.write(`update the comment ${id}`, `PATCH ${path}/issues/comments/${id}`, { body }, comment),
    deleteComment: (_number, id) => api.remove(`delete the comment ${id}`, `${path}/issues/comments/${id}`),

    createIssue: ({ title, body }) =>
      api.write(`create an issue in ${repository}`, `POST ${path}/issues`, { title, body }, issue),
    updateIssue: (number, { title, body }) =>
      api.write(`update issue ${number}`, `PATCH ${path}/issues/${number}`, { title, body }, issue),
    async closeIssue(number) {
      const change = { state: "closed" };
      await api.write(`close issue ${number}`, `PATCH ${path}/issues/${number}`, change, z.unknown());
    },

    async createStatus(commit, { url, ...status }) {
      const set = { ...status, target_url: url };
      const request = `POST ${path}/statuses/${encodeURIComponent(commit)}` as const;
      await api.write(`set the status of commit ${commit}`, request, set, z.unknown(), {
        isRepeatable: true,
      });
    },
  } satisfies Partial<CodeHost>;
}
