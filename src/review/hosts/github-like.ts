import * as z from "zod";
import type { Author, CodeHost, Comment, Issue, Label, PullRequest } from "./host.js";
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
  /** GitHub's name of it, and Gitea's. */
  state: z.string().optional(),
  status: z.string().optional(),
});

const review = z.object({
  id: z.number(),
  user: user.extend({ type: z.string().optional() }).nullish(),
  state: z.string(),
  /** GitHub: null if the commit is gone. */
  commit_id: z.string().nullish(),
  /** Gitea: GitHub has a state for that. */
  dismissed: z.boolean().optional(),
  /** Gitea: its author may write, or was named as one whose approval counts. */
  official: z.boolean().optional(),
});
export const reviews = z.array(review);
export type SubmittedReview = z.infer<typeof review> & { readonly by: Author };

/** The reviews that approve, of each person the last verdict. Those of apps, such as GitHub Actions, are none of people. */
export async function approvingReviews(
  list: AsyncIterable<z.infer<typeof review>>,
): Promise<readonly SubmittedReview[]> {
  const verdicts = new Map<number, SubmittedReview>();
  for await (const one of list)
    if (
      one.user &&
      one.user.type !== "Bot" &&
      !["COMMENTED", "COMMENT", "PENDING", "REQUEST_REVIEW"].includes(one.state)
    )
      if (one.id > (verdicts.get(one.user.id)?.id ?? -1)) verdicts.set(one.user.id, { ...one, by: one.user });
  return [...verdicts.values()].filter(({ state, dismissed }) => state === "APPROVED" && !dismissed);
}

/** A commit with the accounts that its addresses belong to; Gitea has an empty one where it knows none. */
export const commitAccounts = z
  .object({ author: z.unknown(), committer: z.unknown() })
  .transform(({ author, committer }) =>
    [author, committer].flatMap((one) => user.safeParse(one).data ?? ([] as Author[])),
  );

export const label = z.object({ id: z.number(), name: z.string() });
const labels = z.array(label);

/** How a label is named in requests, and how the repository gets one. */
interface LabelOperations {
  readonly labelKey: "id" | "name";
  ensureLabel(what: string, wanted: Label): Promise<z.infer<typeof label>>;
}

/** The path of a repository, whose name is checked when it is read. */
export function repositoryPath(repository: string): `/${string}` {
  return `/repos/${repository}`;
}

/** The permissions that include that to push; Gitea has `owner` too. */
export const writing: ReadonlySet<string> = new Set(["write", "admin", "owner"]);

const permission = z.object({ permission: z.string() }).transform((given) => writing.has(given.permission));

export function githubOperations(
  api: HostApi,
  repository: string,
  pull: z.ZodType<PullRequest>,
  { labelKey, ensureLabel }: LabelOperations,
) {
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

    async changeLabels(number, { add, remove, onlyInstead = false }) {
      const what = `label pull request ${number}`;
      const where = `${path}/issues/${number}/labels` as const;
      const present = await api.get(what, where, labels);
      if (onlyInstead && !present.some(({ name }) => remove.includes(name))) return;
      const missing = add.filter(({ name }) => present.every((one) => one.name !== name));
      const keys: (string | number)[] = [];
      for (const label of missing) keys.push((await ensureLabel(what, label))[labelKey]);
      const body = { labels: keys };
      if (keys.length > 0) await api.write(what, `POST ${where}`, body, z.unknown(), { isRepeatable: true });
      for (const one of present)
        if (remove.includes(one.name))
          await api.remove(what, `${where}/${encodeURIComponent(one[labelKey])}`);
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
