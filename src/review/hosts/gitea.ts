import * as z from "zod";
import { retry } from "../../base/retry/index.js";
import { nodeSystem } from "../../base/system/index.js";
import { HostError } from "./errors.js";
import { comment, githubOperations, pull, user, writing } from "./github-like.js";
import type { Author, CodeHost, OpenHost, PullRequest } from "./host.js";
import { openHostApi, orIfNotFound } from "./host-api.js";
import { permissions } from "./permissions.js";

/** Gitea answers null for an empty page. */
const events = z
  .array(z.object({ type: z.string(), user: user.nullish(), body: z.string().nullish() }))
  .nullable()
  .transform((all) => all ?? []);
const team = z.object({ units_map: z.record(z.string(), z.string()) });
/** How Gitea answers a request for the teams of a user's repository. */
const ofNoOrganization = 405;

/** The account of the tokens that Gitea and Forgejo give to their jobs; there it may not ask for its user. */
const actionsUserId = -2;

/** Gitea, Forgejo, Codeberg. */
export const openGitea: OpenHost = (options) => {
  const { repository } = options;
  const api = openHostApi({
    ...options,
    title: "Gitea",
    headers: { authorization: `token ${options.token.reveal()}` },
    permissions: permissions.gitea,
    root: `/repos/${repository}`,
    // Servers may set a lower limit than asked for, so only an empty page is the last one.
    pages: { parameter: "limit", size: 50, leastEntries: 1 },
  });

  async function readAuthor(): Promise<Author> {
    try {
      return await api.get("find out whose token it is", "/user", user);
    } catch (error) {
      const isRefused = error instanceof HostError && [401, 403, 404].includes(error.status ?? 0);
      if (!options.isJobToken || !isRefused) throw error;
      return { id: actionsUserId, login: "actions" };
    }
  }

  const timeline = (what: string, number: number) => api.list(what, `issues/${number}/timeline`, events);

  /** Oldest first. */
  async function listPullRequests(headBranch: string, state: "open" | "closed", most?: number) {
    const what = `look for the pull request of ${headBranch}`;
    const own: PullRequest[] = [];
    let left = most ?? Number.POSITIVE_INFINITY;
    for await (const one of api.list(what, "pulls", z.array(pull), { state, sort: "recentupdate" })) {
      if (one.headBranch === headBranch && !one.isFromFork) own.push(one);
      left -= 1;
      if (left === 0) break;
    }
    return own.toSorted((a, b) => a.number - b.number);
  }

  function readPullRequests(...wanted: Parameters<typeof listPullRequests>): Promise<PullRequest[]> {
    return retryList(() => listPullRequests(...wanted));
  }

  function retryList<Found>(read: () => Promise<Found>): Promise<Found> {
    return retry(read, async (error, attempts) => {
      // While a pull request is being made, Gitea says of the list with it that it is not found.
      const isNotFound = error instanceof HostError && error.code === "host-not-found";
      if (attempts === 4 || !isNotFound) throw error;
      await nodeSystem.sleep((options.backoffMs ?? 500) * attempts, options.signal);
    });
  }

  /**
   * Those who can be assigned to an issue are those who may write and, where an organization owns the repository, the members of
   * teams that may only read pull requests, or write only a part such as the wiki. With such a team, the list says nothing.
   */
  async function isAssignee({ id, login }: Author, refused: HostError): Promise<boolean> {
    const what = `find out whether ${login} may push to ${repository}`;
    const teams = await api.get(what, "teams", z.array(team)).catch((error: unknown) => {
      if (error instanceof HostError && error.status === ofNoOrganization) return [];
      throw error;
    });
    if (!teams.every(({ units_map }) => writing.has(units_map["repo.code"] ?? ""))) throw refused;
    const assignees = await api.get(what, "assignees", z.array(user));
    return assignees.some((assignee) => assignee.id === id);
  }

  const operations = githubOperations(api, repository, {
    readAuthor,
    // Whoever may write, or whom a rule of the branch names, gives an official one.
    mayWriteBy: ({ official }) => official === true,
    statusPath: (commit) => `statuses/${commit}`,
    // Whatever order is asked for. Of what a job has set, Gitea names no creator.
    statusOrder: "oldest first",
    anonymousId: actionsUserId,
  });
  const host: CodeHost = {
    name: "gitea",
    // Gitea states no limit. Longer comments than GitHub's make its pages slow.
    limits: { body: 65_536, statusDescription: 255 },
    ...operations,
    async mayWrite(person) {
      try {
        return await operations.mayWrite(person);
      } catch (error) {
        // Gitea tells it to administrators of the repository only, and the token of a job is none.
        if (!(error instanceof HostError && error.code === "host-forbidden")) throw error;
        return isAssignee(person, error);
      }
    },
    /** What was pushed before, whoever opened the pull request has proposed. */
    async pushers({ number, author, headCommit }) {
      const what = `find out who pushed commits of pull request ${number}`;
      const found = [author];
      let isKnown = true;
      for await (const { type, user, body } of timeline(what, number)) {
        if (type === "pull_push") found.push(user ?? undefined);
        // What is pushed while it is closed is not listed.
        if (type === "pull_push") isKnown = body?.includes(headCommit) === true;
        else if (type === "reopen") isKnown = false;
      }
      const everybody = found.filter((one) => one !== undefined);
      return isKnown && everybody.length === found.length ? everybody : undefined;
    },
    openPullRequests: (headBranch) => readPullRequests(headBranch, "open"),
    async recentPullRequests(baseBranch) {
      const query = { state: "open", sort: "recentupdate", limit: 20, page: 1 };
      const what = `look for other pull requests to ${baseBranch}`;
      const found = await retryList(() => api.get(what, "pulls", z.array(pull), query));
      return found.filter((one) => one.baseBranch === baseBranch);
    },
    // Gitea does not look for a branch, and there may be thousands.
    closedPullRequests: async (headBranch) =>
      (await readPullRequests(headBranch, "closed", 500)).toReversed(),
    async closedBy(number) {
      const what = `find out who closed pull request ${number}`;
      let last: Author | undefined;
      for await (const { type, user } of timeline(what, number))
        if (type === "close") last = user ?? undefined;
      return last;
    },
    async *comments(number) {
      const what = `read the comments of pull request ${number}`;
      // Gitea answers with all comments at once.
      yield* await api.get(what, `issues/${number}/comments`, z.array(comment));
    },
    pullRequestsOf(commit) {
      const what = `look for the pull request of commit ${commit}`;
      const path = `commits/${encodeURIComponent(commit)}/pull`;
      return orIfNotFound(
        [],
        api.get(
          what,
          path,
          pull.transform((one) => [one]),
        ),
      );
    },
  };
  return { host, close: api.close };
};
