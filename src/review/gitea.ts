import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { withPackage } from "../optional-packages/index.js";
import { checked, newestFirst, paged } from "./answers.js";
import { hostErrorIn } from "./errors.js";
import type { Author, CodeHost, Comment, Issue, PullRequest } from "./host.js";
import type { OpenHost } from "./host-options.js";
import { linksOf } from "./links.js";
import { ignoreNotFound, retrying } from "./retry.js";
import { openWire, type WireRequest } from "./wire.js";

const user = z.object({ id: z.number(), login: z.string() });
const comment = z.object({ id: z.number(), body: z.string(), html_url: z.string(), user: user.nullish() });
const issue = z.object({
  number: z.number(),
  title: z.string(),
  body: z.string(),
  html_url: z.string(),
  user: user.nullish(),
});
const status = z.object({
  /** The number of the status of its commit. */
  id: z.number(),
  context: z.string(),
  description: z.string().nullish(),
  creator: user.nullish(),
});
const side = z.object({ label: z.string(), ref: z.string(), sha: z.string(), repo_id: z.number() });
const pull = z
  .object({
    ...{ number: z.number(), title: z.string(), body: z.string(), html_url: z.string(), state: z.string() },
    ...{ merged: z.boolean(), head: side, base: side },
  })
  .transform(
    ({ number, title, body, html_url, state, merged, head, base }): PullRequest => ({
      ...{ number, title, body, url: html_url, isOpen: state === "open", isMerged: merged },
      ...{ headBranch: head.ref, headCommit: head.sha, baseBranch: base.ref, baseCommit: base.sha },
      // Whoever may read may push to refs/for/BRANCH; of such a pull request, only the label of the head is empty.
      isFromFork: head.repo_id !== base.repo_id || head.label === "",
    }),
  );

/** Servers may set a lower limit than asked for, so only an empty page is the last one. */
const perPage = 50;
const fullPage = 1;

/** The account of the tokens that Gitea and Forgejo give to their jobs; there it may not ask for its user. */
const actionsUserId = -2;

/** Gitea, Forgejo, Codeberg. */
export const openGitea: OpenHost = async (options) => {
  const { giteaApi } = await withPackage("gitea-js", "Writing to Gitea", () => import("gitea-js"));
  const wire = openWire({
    ...options,
    permissions:
      "A job needs `permissions: { contents: write, pull-requests: write }` (Gitea sets statuses with `contents: write`), and `issues: write` for issues; another token the scopes `write:issue`, `write:repository` and `read:user`. On a pull request from a fork, the token of the job can only read.",
  });
  const { repos, user: users } = giteaApi(options.webUrl, {
    token: options.token.reveal(),
    customFetch: (url, request) =>
      wire.send(String(url), withUserAgent(request as WireRequest, options.userAgent)),
  });
  const retry = retrying("Gitea", options);
  const { repository } = options;
  const [owner = "", repo = ""] = repository.split("/");
  let author: Promise<Author> | undefined;

  async function readAuthor(): Promise<Author> {
    try {
      return checked(user, (await users.userGetCurrent()).data);
    } catch (error) {
      const refused = [401, 403, 404].includes(hostErrorIn(error)?.status ?? 0);
      if (!options.isJobToken || !refused) throw error;
      return { id: actionsUserId, login: "actions" };
    }
  }

  /** While a pull request is being made, Gitea says of the list with it that it is not found. */
  async function onceListed<Answer>(list: () => Promise<Answer>): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await list();
      } catch (error) {
        if (attempt === 4 || hostErrorIn(error)?.code !== "host-not-found") throw error;
        await sleep((options.backoffMs ?? 500) * attempt, undefined, { signal: options.signal });
      }
    }
  }

  const host: CodeHost = {
    name: "gitea",
    title: "Gitea",
    repository,
    // Gitea states no limit. Longer comments than GitHub's make its pages slow.
    limits: { body: 65_536, title: 255, statusDescription: 255 },
    links: linksOf(options),
    author() {
      author ??= retry({ what: "find out whose token it is", repeatable: true }, readAuthor);
      return author;
    },
    pullRequest: (number) =>
      retry({ what: `read pull request ${number} of ${repository}`, repeatable: true }, async () =>
        checked(pull, (await repos.repoGetPullRequest(owner, repo, number)).data),
      ),
    async openPullRequests(headBranch) {
      const found = paged(
        (page) =>
          retry({ what: `look for the pull request of ${headBranch}`, repeatable: true }, async () => {
            const which = { state: "open", limit: perPage, page } as const;
            const { data } = await onceListed(() => repos.repoListPullRequests(owner, repo, which));
            return checked(z.array(pull), data);
          }),
        fullPage,
      );
      const own: PullRequest[] = [];
      for await (const one of found) if (one.headBranch === headBranch && !one.isFromFork) own.push(one);
      return own.toSorted((a, b) => a.number - b.number);
    },
    createPullRequest: ({ title, body, headBranch, baseBranch }) =>
      retry({ what: `create the pull request of ${headBranch}`, repeatable: false }, async () => {
        const made = { title, body, head: headBranch, base: baseBranch };
        return checked(pull, (await repos.repoCreatePullRequest(owner, repo, made)).data);
      }),
    updatePullRequest: (number, { title, body }) =>
      retry({ what: `update pull request ${number}`, repeatable: true }, async () =>
        checked(pull, (await repos.repoEditPullRequest(owner, repo, number, { title, body })).data),
      ),
    closePullRequest: (number) =>
      retry({ what: `close pull request ${number}`, repeatable: true }, async () => {
        await repos.repoEditPullRequest(owner, repo, number, { state: "closed" });
      }),

    async *comments(number) {
      // Gitea answers with all comments at once.
      yield* await retry(
        { what: `read the comments of pull request ${number}`, repeatable: true },
        async () => {
          const { data } = await repos.issueGetComments(owner, repo, number);
          return checked(z.array(comment), data).map(commentOf);
        },
      );
    },
    createComment: (number, body) =>
      retry({ what: `comment on pull request ${number}`, repeatable: false }, async () =>
        commentOf(checked(comment, (await repos.issueCreateComment(owner, repo, number, { body })).data)),
      ),
    updateComment: (_number, id, body) =>
      retry({ what: `update the comment ${id}`, repeatable: true }, async () =>
        commentOf(checked(comment, (await repos.issueEditComment(owner, repo, id, { body })).data)),
      ),
    deleteComment: (_number, id) =>
      ignoreNotFound(
        retry({ what: `delete the comment ${id}`, repeatable: true }, async () => {
          await repos.issueDeleteComment(owner, repo, id);
        }),
      ),

    async *openIssues() {
      const { id, login } = await host.author();
      const found = paged(
        (page) =>
          retry({ what: `read the issues of ${repository}`, repeatable: true }, async () => {
            const which = { state: "open", type: "issues", limit: perPage, page } as const;
            // The account of jobs is no user that Gitea could look up.
            const by = id === actionsUserId ? {} : { created_by: login };
            const { data } = await repos.issueListIssues(owner, repo, { ...which, ...by });
            return checked(z.array(issue), data);
          }),
        fullPage,
      );
      for await (const one of found) if (one.user?.id === id) yield issueOf(one);
    },
    createIssue: ({ title, body }) =>
      retry({ what: `create an issue in ${repository}`, repeatable: false }, async () =>
        issueOf(checked(issue, (await repos.issueCreateIssue(owner, repo, { title, body })).data)),
      ),
    updateIssue: (number, { title, body }) =>
      retry({ what: `update issue ${number}`, repeatable: true }, async () =>
        issueOf(checked(issue, (await repos.issueEditIssue(owner, repo, number, { title, body })).data)),
      ),
    closeIssue: (number) =>
      retry({ what: `close issue ${number}`, repeatable: true }, async () => {
        await repos.issueEditIssue(owner, repo, number, { state: "closed" });
      }),

    createStatus: (commit, { context, state, description, url }) =>
      retry({ what: `set the status of commit ${commit}`, repeatable: true }, async () => {
        const status = { context, state, description, ...(url === undefined ? {} : { target_url: url }) };
        await repos.repoCreateStatus(owner, repo, commit, status);
      }),
    async *ownStatuses(commit) {
      const { id } = await host.author();
      const found = paged(
        (page) =>
          retry({ what: `read the statuses of commit ${commit}`, repeatable: true }, async () => {
            const which = { sort: "highestindex", limit: perPage, page } as const;
            const { data } = await repos.repoListStatuses(owner, repo, commit, which);
            return checked(z.array(status), data);
          }),
        fullPage,
      );
      // Oldest first, whatever the name of the order promises. Of what a job has set, Gitea names no creator.
      for (const { context, description, creator } of await newestFirst(found))
        if ((creator?.id ?? actionsUserId) === id) yield { context, description: description ?? "" };
    },
    pullRequestsOf: (commit) =>
      retry({ what: `look for the pull request of commit ${commit}`, repeatable: true }, async () => {
        try {
          return [checked(pull, (await repos.repoGetCommitPullRequest(owner, repo, commit)).data)];
        } catch (error) {
          if (hostErrorIn(error)?.code === "host-not-found") return [];
          throw error;
        }
      }),
  };
  return { host, close: wire.close };
};

function withUserAgent(request: WireRequest, userAgent: string): WireRequest {
  return { ...request, headers: { ...request.headers, accept: "application/json", "user-agent": userAgent } };
}

function commentOf({ id, body, html_url, user }: z.infer<typeof comment>): Comment {
  return { id, body, url: html_url, ...(user ? { author: user } : {}) };
}

function issueOf({ number, title, body, html_url, user }: z.infer<typeof issue>): Issue {
  return { number, title, body, url: html_url, ...(user ? { author: user } : {}) };
}
