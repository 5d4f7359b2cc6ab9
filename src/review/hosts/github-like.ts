import * as z from "zod";
import { isBotLogin } from "./bots.js";
import type { Author, Comment, HostClient, PullRequest } from "./host.js";
import { collectNewestFirst, type HostApi, parseTime, recoverNotFound } from "./host-api.js";

/* The part of GitHub's API that Gitea also implements. */

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

/** Source or target branch of a pull request. */
const branch = z.object({
  ref: z.string(),
  sha: z.string(),
  label: z.string().nullish(),
  /** Absent on Gitea, which has `repo_id` instead. */
  repo: z.object({ id: z.number() }).nullish(),
  repo_id: z.number().optional(),
});

/**
 * Returns whether a user is a bot. GitHub's apps have the type "Bot", and the Actions user of Gitea and Forgejo has a
 * negative id.
 */
function isBot(
  user: { readonly id: number; readonly login: string; readonly type?: string | undefined } | null = null,
) {
  return user !== null && (user.type === "Bot" || isBotLogin(user.login) || user.id < 0);
}

function getRepositoryId({ repo_id, repo }: z.infer<typeof branch>): number | undefined {
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
    /** Time of the merge. GitHub's lists have this field instead of `merged`. */
    merged_at: z.string().nullish(),
    merge_commit_sha: z.string().nullish(),
    user: user.extend({ type: z.string().optional() }).nullish(),
    head: branch,
    base: branch,
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
      // Gitea replaces the ref of a deleted branch with the pull request's own ref.
      headBranch: (head.ref.startsWith("refs/pull/") && head.label) || head.ref,
      headCommit: head.sha,
      mergeCommit: given.merge_commit_sha ?? undefined,
      baseBranch: base.ref,
      baseCommit: base.sha,
      // On Gitea, anyone with read access can push to refs/for/BRANCH. The head label is empty only for pull requests
      // created that way.
      isFromFork: getRepositoryId(head) !== getRepositoryId(base) || head.label === "",
    }),
  );

const statuses = z.array(
  z.object({
    /** Status id. On Gitea, unique only within the commit. */
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
  /** Reviewed commit. Null on GitHub if the commit is gone. */
  commit_id: z.string().nullish(),
  /** Whether the review was dismissed. Only on Gitea, because GitHub has a state for this. */
  dismissed: z.boolean().optional(),
  /** Whether the reviewer has write access or is named by a branch rule. Only on Gitea. */
  official: z.boolean().optional(),
});
export type SubmittedReview = z.infer<typeof review> & { readonly by: Author };

/** Collects approving reviews, counting only each person's latest verdict. Omits reviews by apps, such as GitHub Actions. */
async function collectApprovingReviews(
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

/** Users found by the email addresses in a commit. Gitea returns an empty user for an unknown address. */
const commitAccounts = z
  .object({ author: z.unknown(), committer: z.unknown() })
  .transform(({ author, committer }) =>
    [author, committer].flatMap((one) => user.safeParse(one).data ?? ([] as Author[])),
  );

/** Behavior that differs between GitHub and Gitea. */
interface Differences {
  readAuthor(): Promise<Author>;
  reviewerMayWrite(review: SubmittedReview, mayWrite: HostClient["mayWrite"]): boolean | Promise<boolean>;
  buildStatusPath(commit: string): string;
  readonly statusOrder: "newest first" | "oldest first";
  /** User id for statuses without a creator. */
  readonly anonymousId?: number;
}

/** Permissions that include pushing. Only Gitea has `owner`. */
export const writePermissions: ReadonlySet<string> = new Set(["write", "admin", "owner"]);

const hasWritePermission = z
  .object({ permission: z.string() })
  .transform(({ permission }) => writePermissions.has(permission));

export function createGithubOperations(api: HostApi, repository: string, differences: Differences) {
  const { statusOrder, anonymousId } = differences;
  let cachedAuthor: Promise<Author> | undefined;
  const getAuthor = () => {
    cachedAuthor ??= differences.readAuthor();
    return cachedAuthor;
  };
  const mayWrite: HostClient["mayWrite"] = ({ login }) => {
    const action = `check whether ${login} has write access to ${repository}`;
    const path = `collaborators/${encodeURIComponent(login)}/permission`;
    return recoverNotFound(false, api.get(action, path, hasWritePermission));
  };
  return {
    getAuthor,
    mayWrite,
    getPullRequest: (number) =>
      api.get(`read pull request ${number} of ${repository}`, `pulls/${number}`, pull),
    createPullRequest({ title, body, headBranch: head, baseBranch: base }) {
      const made = { title, body, head, base };
      return api.write(`create a pull request from ${head}`, "POST pulls", made, pull);
    },
    updatePullRequest(number, change) {
      const verb = "state" in change ? "close" : "update";
      return api.write(`${verb} pull request ${number}`, `PATCH pulls/${number}`, change, pull);
    },
    async listApprovals({ number, headCommit }) {
      const action = `read the reviews of pull request ${number}`;
      const list = api.list(action, `pulls/${number}/reviews`, z.array(review));
      const toApproval = async (one: SubmittedReview) => ({
        ...{ by: one.by, coversHead: one.commit_id === headCommit, atMs: parseTime(one.submitted_at) },
        mayWrite: await differences.reviewerMayWrite(one, mayWrite),
      });
      return Promise.all((await collectApprovingReviews(list)).map(toApproval));
    },

    async listCommitters({ number }) {
      const action = `read the commits of pull request ${number}`;
      const list = api.list(action, `pulls/${number}/commits`, z.array(commitAccounts));
      const found: Author[] = [];
      for await (const accounts of list) found.push(...accounts);
      return found;
    },

    createComment: (number, body) =>
      api.write(`comment on pull request ${number}`, `POST issues/${number}/comments`, { body }, comment),
    updateComment: (_number, id, body) =>
      api.write(`update comment ${id}`, `PATCH issues/comments/${id}`, { body }, comment),
    deleteComment: (_number, id) => api.remove(`delete comment ${id}`, `issues/comments/${id}`),

    createStatus(commit, { url, ...status }) {
      const request = `POST statuses/${encodeURIComponent(commit)}` as const;
      const set = { ...status, target_url: url };
      return api.send(`set the status of commit ${commit}`, request, set, { isIdempotent: true });
    },
    async *listOwnStatuses(commit) {
      const { id } = await getAuthor();
      const action = `read the statuses of commit ${commit}`;
      const found = api.list(action, differences.buildStatusPath(encodeURIComponent(commit)), statuses);
      for await (const one of statusOrder === "newest first" ? found : await collectNewestFirst(found))
        if ((one.creator?.id ?? anonymousId) === id)
          yield {
            context: one.context,
            description: one.description ?? "",
            atMs: parseTime(one.created_at),
          };
    },
  } satisfies Partial<HostClient>;
}
