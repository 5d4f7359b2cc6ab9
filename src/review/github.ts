import * as z from "zod";
import { withPackage } from "../optional-packages/index.js";
import { checked, paged } from "./answers.js";
import { hostErrorIn } from "./errors.js";
import type { Author, CodeHost, Comment, Issue, PullRequest } from "./host.js";
import type { OpenHost } from "./host-options.js";
import { linksOf } from "./links.js";
import { ignoreNotFound, retrying } from "./retry.js";
import { openWire } from "./wire.js";

const user = z.object({ id: z.number(), login: z.string() });
const comment = z.object({
  id: z.number(),
  body: z.string().nullish(),
  html_url: z.string(),
  user: user.nullish(),
});
const issue = z.object({
  number: z.number(),
  title: z.string(),
  body: z.string().nullish(),
  html_url: z.string(),
  user: user.nullish(),
  pull_request: z.unknown().optional(),
});
const pull = z
  .object({
    number: z.number(),
    title: z.string(),
    body: z.string().nullish(),
    html_url: z.string(),
    state: z.string(),
    merged_at: z.string().nullish(),
    head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ id: z.number() }).nullish() }),
    base: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ id: z.number() }) }),
  })
  .transform(
    ({ number, title, body, html_url, state, merged_at, head, base }): PullRequest => ({
      ...{ number, title, body: body ?? "", url: html_url, isOpen: state === "open", isMerged: !!merged_at },
      ...{ headBranch: head.ref, headCommit: head.sha, baseBranch: base.ref, baseCommit: base.sha },
      isFromFork: head.repo?.id !== base.repo.id,
    }),
  );
const status = z.object({
  context: z.string(),
  description: z.string().nullish(),
  creator: user.nullish(),
});
const viewer = z.object({ viewer: z.object({ databaseId: z.number(), login: z.string() }) });

const perPage = 100;

/** GitHub, and GitHub Enterprise Server. */
export const openGitHub: OpenHost = async (options) => {
  const { Octokit } = await withPackage("@octokit/core", "Writing to GitHub", () => import("@octokit/core"));
  const wire = openWire({
    ...options,
    permissions:
      "Give the job `permissions: { pull-requests: write, statuses: write }`, and `issues: write` for issues; on a pull request from a fork, GitHub's own token can only read.",
  });
  const silent = () => {};
  const octokit = new Octokit({
    auth: options.token.reveal(),
    baseUrl: options.apiUrl,
    userAgent: options.userAgent,
    log: { debug: silent, info: silent, warn: silent, error: silent },
    request: { fetch: wire.send },
  });
  const retry = retrying("GitHub", options);
  const [owner = "", repo = ""] = options.repository.split("/");
  const of = { owner, repo };
  let author: Promise<Author> | undefined;

  /** The tokens of apps, and so of GitHub Actions, may not ask REST for their user. */
  async function readAuthor(): Promise<Author> {
    try {
      const { data } = await octokit.request("GET /user");
      return checked(user, data);
    } catch (error) {
      if (hostErrorIn(error)?.code !== "host-forbidden") throw error;
      const answer = await octokit.graphql("query { viewer { databaseId login } }");
      const { databaseId: id, login } = checked(viewer, answer).viewer;
      return { id, login };
    }
  }

  const host: CodeHost = {
    name: "github",
    title: "GitHub",
    repository: options.repository,
    // The interface states no limit; it refuses longer bodies with this number.
    limits: { body: 65_536, title: 256, statusDescription: 140 },
    links: linksOf(options),
    author() {
      author ??= retry({ what: "find out whose token it is", repeatable: true }, readAuthor);
      return author;
    },
    pullRequest: (number) =>
      retry({ what: `read pull request ${number} of ${options.repository}`, repeatable: true }, async () => {
        const { data } = await octokit.request("GET /repos/{owner}/{repo}/pulls/{pull_number}", {
          ...of,
          pull_number: number,
        });
        return checked(pull, data);
      }),
    openPullRequests: (headBranch) =>
      retry({ what: `look for the pull request of ${headBranch}`, repeatable: true }, async () => {
        const { data } = await octokit.request("GET /repos/{owner}/{repo}/pulls", {
          ...of,
          state: "open",
          head: `${owner}:${headBranch}`,
          per_page: perPage,
        });
        const found = checked(z.array(pull), data);
        const own = found.filter((one) => one.headBranch === headBranch && !one.isFromFork);
        return own.toSorted((a, b) => a.number - b.number);
      }),
    createPullRequest: ({ title, body, headBranch, baseBranch }) =>
      retry({ what: `create the pull request of ${headBranch}`, repeatable: false }, async () => {
        const { data } = await octokit.request("POST /repos/{owner}/{repo}/pulls", {
          ...of,
          ...{ title, body, head: headBranch, base: baseBranch },
        });
        return checked(pull, data);
      }),
    updatePullRequest: (number, { title, body }) =>
      retry({ what: `update pull request ${number}`, repeatable: true }, async () => {
        const { data } = await octokit.request("PATCH /repos/{owner}/{repo}/pulls/{pull_number}", {
          ...of,
          ...{ pull_number: number, title, body },
        });
        return checked(pull, data);
      }),
    closePullRequest: (number) =>
      retry({ what: `close pull request ${number}`, repeatable: true }, async () => {
        await octokit.request("PATCH /repos/{owner}/{repo}/pulls/{pull_number}", {
          ...of,
          ...{ pull_number: number, state: "closed" },
        });
      }),

    comments: (pullRequest) =>
      paged(
        (page) =>
          retry({ what: `read the comments of pull request ${pullRequest}`, repeatable: true }, async () => {
            const { data } = await octokit.request(
              "GET /repos/{owner}/{repo}/issues/{issue_number}/comments",
              { ...of, issue_number: pullRequest, per_page: perPage, page },
            );
            return checked(z.array(comment), data).map(commentOf);
          }),
        perPage,
      ),
    createComment: (pullRequest, body) =>
      retry({ what: `comment on pull request ${pullRequest}`, repeatable: false }, async () => {
        const { data } = await octokit.request("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", {
          ...of,
          ...{ issue_number: pullRequest, body },
        });
        return commentOf(checked(comment, data));
      }),
    updateComment: (_pullRequest, id, body) =>
      retry({ what: `update the comment ${id}`, repeatable: true }, async () => {
        const { data } = await octokit.request("PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}", {
          ...of,
          ...{ comment_id: id, body },
        });
        return commentOf(checked(comment, data));
      }),
    deleteComment: (_pullRequest, id) =>
      ignoreNotFound(
        retry({ what: `delete the comment ${id}`, repeatable: true }, async () => {
          await octokit.request("DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}", {
            ...of,
            comment_id: id,
          });
        }),
      ),

    async *openIssues() {
      const { id, login } = await host.author();
      const found = paged(
        (page) =>
          retry({ what: `read the issues of ${options.repository}`, repeatable: true }, async () => {
            const { data } = await octokit.request("GET /repos/{owner}/{repo}/issues", {
              ...of,
              ...{ state: "open", creator: login, per_page: perPage, page },
            });
            return checked(z.array(issue), data);
          }),
        perPage,
      );
      for await (const one of found) {
        // GitHub lists pull requests too.
        if (one.pull_request === undefined && one.user?.id === id) yield issueOf(one);
      }
    },
    createIssue: ({ title, body }) =>
      retry({ what: `create an issue in ${options.repository}`, repeatable: false }, async () => {
        const { data } = await octokit.request("POST /repos/{owner}/{repo}/issues", { ...of, title, body });
        return issueOf(checked(issue, data));
      }),
    updateIssue: (number, { title, body }) =>
      retry({ what: `update issue ${number}`, repeatable: true }, async () => {
        const { data } = await octokit.request("PATCH /repos/{owner}/{repo}/issues/{issue_number}", {
          ...of,
          ...{ issue_number: number, title, body },
        });
        return issueOf(checked(issue, data));
      }),
    closeIssue: (number) =>
      retry({ what: `close issue ${number}`, repeatable: true }, async () => {
        await octokit.request("PATCH /repos/{owner}/{repo}/issues/{issue_number}", {
          ...of,
          ...{ issue_number: number, state: "closed" },
        });
      }),

    createStatus: (commit, { context, state, description, url }) =>
      retry({ what: `set the status of commit ${commit}`, repeatable: true }, async () => {
        await octokit.request("POST /repos/{owner}/{repo}/statuses/{sha}", {
          ...of,
          ...{ sha: commit, state, context, description },
          ...(url === undefined ? {} : { target_url: url }),
        });
      }),
    async *ownStatuses(commit) {
      const { id } = await host.author();
      const found = paged(
        (page) =>
          retry({ what: `read the statuses of commit ${commit}`, repeatable: true }, async () => {
            const which = { ref: commit, per_page: perPage, page };
            const { data } = await octokit.request("GET /repos/{owner}/{repo}/commits/{ref}/statuses", {
              ...of,
              ...which,
            });
            return checked(z.array(status), data);
          }),
        perPage,
      );
      for await (const { context, description, creator } of found)
        if (creator?.id === id) yield { context, description: description ?? "" };
    },
    pullRequestsOf: (commit) =>
      retry({ what: `look for the pull request of commit ${commit}`, repeatable: true }, async () => {
        const { data } = await octokit.request("GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls", {
          ...of,
          commit_sha: commit,
        });
        return checked(z.array(pull), data);
      }),
  };
  return { host, close: wire.close };
};

function commentOf({ id, body, html_url, user }: z.infer<typeof comment>): Comment {
  return { id, body: body ?? "", url: html_url, ...(user ? { author: user } : {}) };
}

function issueOf({ number, title, body, html_url, user }: z.infer<typeof issue>): Issue {
  return { number, title, body: body ?? "", url: html_url, ...(user ? { author: user } : {}) };
}
