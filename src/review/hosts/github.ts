import * as z from "zod";
import { HostError } from "./errors.js";
import {
  approvingReviews,
  comment,
  commitAccounts,
  githubOperations,
  issue,
  label,
  repositoryPath,
  reviews,
  status,
  user,
} from "./github-like.js";
import type { Author, CodeHost, OpenHost, PullRequest } from "./host.js";
import { openHostApi } from "./host-api.js";
import { hostLinks } from "./links.js";

const pull = z
  .object({
    number: z.number(),
    title: z.string(),
    body: z.string().nullish(),
    html_url: z.string(),
    state: z.string(),
    merged_at: z.string().nullish(),
    user: user.nullish(),
    head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ id: z.number() }).nullish() }),
    base: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ id: z.number() }) }),
  })
  .transform(
    ({ number, title, body, html_url, state, merged_at, user, head, base }): PullRequest => ({
      number,
      title,
      body: body ?? "",
      url: html_url,
      isOpen: state === "open",
      isMerged: !!merged_at,
      author: user ?? undefined,
      headBranch: head.ref,
      headCommit: head.sha,
      baseBranch: base.ref,
      baseCommit: base.sha,
      isFromFork: head.repo?.id !== base.repo.id,
    }),
  );
const viewer = z.object({
  data: z.object({ viewer: z.object({ databaseId: z.number(), login: z.string() }) }),
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
    permissions:
      "Give the job `permissions: { pull-requests: write, statuses: write }`, and `issues: write` for issues; on a pull request from a fork, GitHub's own token can only read.",
    pages: { parameter: "per_page", size: perPage, leastEntries: perPage },
  });
  const path = repositoryPath(repository);
  let author: Promise<Author> | undefined;

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

  const operations = githubOperations(api, repository, pull, {
    labelKey: "name",
    async ensureLabel(what, { name, ...rest }) {
      const made = api.write(what, `POST ${path}/labels`, { name, ...rest }, label, { isRepeatable: true });
      return made.catch((error: unknown) => {
        // There is one of this name.
        if (error instanceof HostError && error.status === 422) return { id: 0, name };
        throw error;
      });
    },
  });
  /** Newest first. */
  async function pullRequestsFrom(headBranch: string, state: string): Promise<PullRequest[]> {
    const [owner] = repository.split("/");
    const query = { state, head: `${owner}:${headBranch}`, per_page: perPage };
    const what = `look for the pull request of ${headBranch}`;
    const found = await api.get(what, `${path}/pulls`, z.array(pull), query);
    const own = found.filter((one) => one.headBranch === headBranch && !one.isFromFork);
    return own.toSorted((a, b) => b.number - a.number);
  }

  const host: CodeHost = {
    name: "github",
    title: "GitHub",
    repository,
    // The interface states no limit; it refuses longer bodies with this number.
    limits: { body: 65_536, title: 256, statusDescription: 140 },
    links: hostLinks(options),
    author() {
      author ??= readAuthor();
      return author;
    },
    ...operations,
    async approvals({ number, headCommit }) {
      const what = `read the reviews of pull request ${number}`;
      const approving = await approvingReviews(api.list(what, `${path}/pulls/${number}/reviews`, reviews));
      const toApproval = async ({ by, commit_id }: (typeof approving)[number]) => ({
        ...{ by, isOfHead: commit_id === headCommit, mayWrite: await operations.mayWrite(by) },
      });
      return Promise.all(approving.map(toApproval));
    },
    committers: (commit) =>
      api.get(`read commit ${commit}`, `${path}/commits/${encodeURIComponent(commit)}`, commitAccounts),
    openPullRequests: async (headBranch) => (await pullRequestsFrom(headBranch, "open")).toReversed(),
    closedPullRequests: (headBranch) => pullRequestsFrom(headBranch, "closed"),
    async closedBy(number) {
      const what = `find out who closed pull request ${number}`;
      return (await api.get(what, `${path}/issues/${number}`, closing)).closed_by ?? undefined;
    },
    recentPullRequests: (base) =>
      api.get(`look for other pull requests to ${base}`, `${path}/pulls`, z.array(pull), {
        ...{ state: "open", base, sort: "updated", direction: "desc", per_page: 20 },
      }),
    comments: (number) =>
      api.list(
        `read the comments of pull request ${number}`,
        `${path}/issues/${number}/comments`,
        z.array(comment),
      ),
    async *openIssues() {
      const { id, login } = await host.author();
      const query = { state: "open", creator: login };
      const found = api.list(`read the issues of ${repository}`, `${path}/issues`, z.array(issue), query);
      // GitHub lists pull requests too.
      for await (const one of found) if (!one.isPullRequest && one.author?.id === id) yield one;
    },
    async *ownStatuses(commit) {
      const { id } = await host.author();
      const found = api.list(
        `read the statuses of commit ${commit}`,
        `${path}/commits/${encodeURIComponent(commit)}/statuses`,
        z.array(status),
      );
      for await (const { context, description, creator, state } of found)
        if (creator?.id === id)
          yield { context, description: description ?? "", isFailure: state === "failure" };
    },
    pullRequestsOf: (commit) =>
      api.get(
        `look for the pull request of commit ${commit}`,
        `${path}/commits/${encodeURIComponent(commit)}/pulls`,
        z.array(pull),
      ),
  };
  return { host, close: api.close };
};
