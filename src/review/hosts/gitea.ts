import * as z from "zod";
import { retry } from "../../base/retry/index.js";
import { nodeSystem } from "../../base/system/index.js";
import { HostError } from "./errors.js";
import { comment, createGithubOperations, pull, user, writePermissions } from "./github-like.js";
import type { Author, CodeHost, OpenHost, PullRequest } from "./host.js";
import { openHostApi, recoverNotFound } from "./host-api.js";
import { permissions } from "./permissions.js";

/** Page of events. Gitea returns null for an empty page. */
const events = z
  .array(z.object({ type: z.string(), user: user.nullish(), body: z.string().nullish() }))
  .nullable()
  .transform((all) => all ?? []);
const team = z.object({ units_map: z.record(z.string(), z.string()) });
/** Gitea's status for a request for teams if the repository belongs to a user. */
const noOrganizationStatus = 405;

/** User id of Gitea's and Forgejo's job tokens, which cannot read `/user`. */
const actionsUserId = -2;

/** Opens a repository on Gitea, Forgejo or Codeberg. */
export const openGitea: OpenHost = (options) => {
  const { repository } = options;
  const api = openHostApi({
    ...options,
    title: "Gitea",
    headers: { authorization: `token ${options.token.reveal()}` },
    permissions: permissions.gitea,
    root: `/repos/${repository}`,
    // Servers may reduce the page size, so only an empty page is the last one.
    pages: { parameter: "limit", size: 50, minEntries: 1 },
  });

  async function readAuthor(): Promise<Author> {
    try {
      return await api.get("read the token's account", "/user", user);
    } catch (error) {
      const isRejected = error instanceof HostError && [401, 403, 404].includes(error.status ?? 0);
      if (!options.isJobToken || !isRejected) throw error;
      return { id: actionsUserId, login: "actions" };
    }
  }

  const readTimeline = (action: string, number: number) =>
    api.list(action, `issues/${number}/timeline`, events);

  /** Lists pull requests from a branch of this repository, oldest first. Scans only the `maxScanned` most recently updated ones. */
  async function scanPullRequests(headBranch: string, state: "open" | "closed", maxScanned?: number) {
    const action = `find the pull requests from ${headBranch}`;
    const own: PullRequest[] = [];
    let left = maxScanned ?? Number.POSITIVE_INFINITY;
    for await (const one of api.list(action, "pulls", z.array(pull), { state, sort: "recentupdate" })) {
      if (one.headBranch === headBranch && !one.isFromFork) own.push(one);
      left -= 1;
      if (left === 0) break;
    }
    return own.toSorted((a, b) => a.number - b.number);
  }

  function listPullRequests(...options: Parameters<typeof scanPullRequests>): Promise<PullRequest[]> {
    return retryNotFound(() => scanPullRequests(...options));
  }

  function retryNotFound<Found>(read: () => Promise<Found>): Promise<Found> {
    return retry(read, async (error, attempts) => {
      // Gitea reports a list as not found while one of its pull requests is being created.
      const isNotFound = error instanceof HostError && error.code === "host-not-found";
      if (attempts === 4 || !isNotFound) throw error;
      await nodeSystem.sleep((options.backoffMs ?? 500) * attempts, options.signal);
    });
  }

  /**
   * Infers write access from the list of assignable users. An organization's list includes members of teams that can
   * only read pull requests, or only write a part such as the wiki.
   *
   * @throws `refused` if there is such a team.
   */
  async function inferWriteAccess({ id, login }: Author, refused: HostError): Promise<boolean> {
    const action = `check whether ${login} has write access to ${repository}`;
    const teams = await api.get(action, "teams", z.array(team)).catch((error: unknown) => {
      if (error instanceof HostError && error.status === noOrganizationStatus) return [];
      throw error;
    });
    if (!teams.every(({ units_map }) => writePermissions.has(units_map["repo.code"] ?? ""))) throw refused;
    const assignees = await api.get(action, "assignees", z.array(user));
    return assignees.some((assignee) => assignee.id === id);
  }

  const operations = createGithubOperations(api, repository, {
    readAuthor,
    // Official reviews come from people with write access, or named by a branch rule.
    reviewerMayWrite: ({ official }) => official === true,
    statusPath: (commit) => `statuses/${commit}`,
    // Gitea ignores sort options, and omits the creator of statuses set by jobs.
    statusOrder: "oldest first",
    anonymousId: actionsUserId,
  });
  const host: CodeHost = {
    name: "gitea",
    // Undocumented. Comments above GitHub's limit make Gitea's pages slow.
    limits: { body: 65_536, statusDescription: 255 },
    ...operations,
    async mayWrite(person) {
      try {
        return await operations.mayWrite(person);
      } catch (error) {
        // Only repository administrators can read permissions, and a job token is not an administrator.
        if (!(error instanceof HostError && error.code === "host-forbidden")) throw error;
        return inferWriteAccess(person, error);
      }
    },
    /** Counts the author as the pusher of commits from before the pull request was opened. */
    async listPushers({ number, author, headCommit }) {
      const action = `check who pushed to pull request ${number}`;
      const found = [author];
      let isComplete = true;
      for await (const { type, user, body } of readTimeline(action, number)) {
        if (type === "pull_push") found.push(user ?? undefined);
        // The timeline omits pushes to a closed pull request.
        if (type === "pull_push") isComplete = body?.includes(headCommit) === true;
        else if (type === "reopen") isComplete = false;
      }
      const pushers = found.filter((one) => one !== undefined);
      return isComplete && pushers.length === found.length ? pushers : undefined;
    },
    listOpenPullRequests: (headBranch) => listPullRequests(headBranch, "open"),
    async listRecentPullRequests(baseBranch) {
      const query = { state: "open", sort: "recentupdate", limit: 20, page: 1 };
      const action = `list other pull requests to ${baseBranch}`;
      const found = await retryNotFound(() => api.get(action, "pulls", z.array(pull), query));
      return found.filter((one) => one.baseBranch === baseBranch);
    },
    // Gitea cannot filter by head branch, and there may be thousands.
    listClosedPullRequests: async (headBranch) =>
      (await listPullRequests(headBranch, "closed", 500)).toReversed(),
    async findCloser(number) {
      const action = `check who closed pull request ${number}`;
      let last: Author | undefined;
      for await (const { type, user } of readTimeline(action, number))
        if (type === "close") last = user ?? undefined;
      return last;
    },
    async *listComments(number) {
      const action = `read the comments of pull request ${number}`;
      // Gitea returns all comments at once.
      yield* await api.get(action, `issues/${number}/comments`, z.array(comment));
    },
    listPullRequestsForCommit(commit) {
      const action = `find the pull request of commit ${commit}`;
      const path = `commits/${encodeURIComponent(commit)}/pull`;
      return recoverNotFound(
        [],
        api.get(
          action,
          path,
          pull.transform((one) => [one]),
        ),
      );
    },
  };
  return { host, close: api.close };
};
