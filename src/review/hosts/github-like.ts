import * as z from "zod";
import type { Author, CodeHost, Comment, PullRequest } from "./host.js";
import { type HostApi, newestFirst, orIfNotFound, parseTime } from "./host-api.js";

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

const side = z.object({
  ref: z.string(),
  sha: z.string(),
  label: z.string().nullish(),
  /** GitHub's way to say which repository it is in, and Gitea's. */
  repo: z.object({ id: z.number() }).nullish(),
  repo_id: z.number().optional(),
});

/** GitHub types its apps; Gitea and Forgejo give the account of their Actions a negative id. */
function isBot(
  user: { readonly id: number; readonly login: string; readonly type?: string | undefined } | null = null,
) {
  return user !== null && (user.type === "Bot" || user.login.endsWith("[bot]") || user.id < 0);
}

function repositoryId({ repo_id, repo }: z.infer<typeof side>): number | undefined {
  return repo_id ?? repo?.id;
}

export const pull = z
  .object({
    number: z.number(),
    title: z.string(),
    body: z.string().nullish(),
    html_url: z.string(),
    state: z.string(),
    merged: z.boolean().optional(),
    /** In lists, GitHub says it so. */
    merged_at: z.string().nullish(),
    merge_commit_sha: z.string().nullish(),
    user: user.extend({ type: z.string().optional() }).nullish(),
    head: side,
    base: side,
  })
  .transform(
    ({ number, title, head, base, ...given }): PullRequest => ({
      number,
      title,
      body: given.body ?? "",
      url: given.html_url,
      isOpen: given.state === "open",
      isMerged: given.merged === true || !!given.merged_at,
      author: given.user ? { id: given.user.id, login: given.user.login } : undefined,
      isByBot: isBot(given.user),
      headBranch: head.ref,
      headCommit: head.sha,
      mergeCommit: given.merge_commit_sha ?? undefined,
      baseBranch: base.ref,
      baseCommit: base.sha,
      // Whoever may read may push to Gitea's refs/for/BRANCH; of such a pull request, only the label of the head is empty.
      isFromFork: repositoryId(head) !== repositoryId(base) || head.label === "",
    }),
  );

const statuses = z.array(
  z.object({
    /** Gitea: the number of the status of its commit. */
    id: z.number(),
    context: z.string(),
    description: z.string().nullish(),
    creator: user.nullish(),
    created_at: z.string().nullish(),
  }),
);

const review = z.object({
  id: z.number(),
  user: user.extend({ type: z.string().optional() }).nullish(),
  state: z.string(),
  submitted_at: z.string().nullish(),
  /** GitHub: null if the commit is gone. */
  commit_id: z.string().nullish(),
  /** Gitea: GitHub has a state for that. */
  dismissed: z.boolean().optional(),
  /** Gitea: its author may write, or was named as one whose approval counts. */
  official: z.boolean().optional(),
});
export type SubmittedReview = z.infer<typeof review> & { readonly by: Author };

/** The reviews that approve, of each person the last verdict. Those of apps, such as GitHub Actions, are none of people. */
async function approvingReviews(
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
const commitAccounts = z
  .object({ author: z.unknown(), committer: z.unknown() })
  .transform(({ author, committer }) =>
    [author, committer].flatMap((one) => user.safeParse(one).data ?? ([] as Author[])),
  );

/** What the two do differently. */
interface Differences {
  readAuthor(): Promise<Author>;
  mayWriteBy(review: SubmittedReview, mayWrite: CodeHost["mayWrite"]): boolean | Promise<boolean>;
  statusPath(commit: string): string;
  /** Whether statuses are listed oldest first, and who has set those of which nobody is named. */
  readonly statusOrder: "newest first" | "oldest first";
  readonly anonymousId?: number;
}

/** The permissions that include that to push; Gitea has `owner` too. */
export const writing: ReadonlySet<string> = new Set(["write", "admin", "owner"]);

const permission = z.object({ permission: z.string() }).transform((given) => writing.has(given.permission));

export function githubOperations(api: HostApi, repository: string, differences: Differences) {
  const { statusOrder, anonymousId } = differences;
  let known: Promise<Author> | undefined;
  const author = () => {
    known ??= differences.readAuthor();
    return known;
  };
  const mayWrite: CodeHost["mayWrite"] = ({ login }) => {
    const what = `find out whether ${login} may push to ${repository}`;
    const path = `collaborators/${encodeURIComponent(login)}/permission`;
    return orIfNotFound(false, api.get(what, path, permission));
  };
  return {
    author,
    mayWrite,
    pullRequest: (number) => api.get(`read pull request ${number} of ${repository}`, `pulls/${number}`, pull),
    createPullRequest({ title, body, headBranch: head, baseBranch: base }) {
      const made = { title, body, head, base };
      return api.write(`create the pull request of ${head}`, "POST pulls", made, pull);
    },
    updatePullRequest: (number, { title, body }) =>
      api.write(`update pull request ${number}`, `PATCH pulls/${number}`, { title, body }, pull),
    closePullRequest: (number) =>
      api.send(`close pull request ${number}`, `PATCH pulls/${number}`, { state: "closed" }),
    async approvals({ number, headCommit }) {
      const what = `read the reviews of pull request ${number}`;
      const list = api.list(what, `pulls/${number}/reviews`, z.array(review));
      const toApproval = async (one: SubmittedReview) => ({
        ...{ by: one.by, isOfHead: one.commit_id === headCommit, atMs: parseTime(one.submitted_at) },
        mayWrite: await differences.mayWriteBy(one, mayWrite),
      });
      return Promise.all((await approvingReviews(list)).map(toApproval));
    },

    async committers({ number }) {
      const what = `read the commits of pull request ${number}`;
      const list = api.list(what, `pulls/${number}/commits`, z.array(commitAccounts));
      const found: Author[] = [];
      for await (const accounts of list) found.push(...accounts);
      return found;
    },

    createComment: (number, body) =>
      api.write(`comment on pull request ${number}`, `POST issues/${number}/comments`, { body }, comment),
    updateComment: (_number, id, body) =>
      api.write(`update the comment ${id}`, `PATCH issues/comments/${id}`, { body }, comment),
    deleteComment: (_number, id) => api.remove(`delete the comment ${id}`, `issues/comments/${id}`),

    createStatus(commit, { url, ...status }) {
      const request = `POST statuses/${encodeURIComponent(commit)}` as const;
      const set = { ...status, target_url: url };
      return api.send(`set the status of commit ${commit}`, request, set, { isRepeatable: true });
    },
    async *ownStatuses(commit) {
      const { id } = await author();
      const what = `read the statuses of commit ${commit}`;
      const found = api.list(what, differences.statusPath(encodeURIComponent(commit)), statuses);
      for await (const one of statusOrder === "newest first" ? found : await newestFirst(found))
        if ((one.creator?.id ?? anonymousId) === id)
          yield {
            context: one.context,
            description: one.description ?? "",
            atMs: parseTime(one.created_at),
          };
    },
  } satisfies Partial<CodeHost>;
}
