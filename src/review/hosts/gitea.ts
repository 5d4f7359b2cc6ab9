import * as z from "zod";
import { retry } from "../../base/retry/index.js";
import { nodeSystem } from "../../base/system/index.js";
import { HostError } from "./errors.js";
import { comment, createGithubOperations, pull, user, writePermissions } from "./github-like.js";
import type { Author, HostClient, OpenHost, PullRequest } from "./host.js";
import { openHostApi, recoverNotFound, takeFirst } from "./host-api.js";

/** Event page. Gitea returns null for an empty page. */
const events = z
  .array(z.object({ type: z.string(), user: user.nullish(), body: z.string().nullish() }))
  .nullable()
  .transform((all) => all ?? []);
const team = z.object({ units_map: z.record(z.string(), z.string()) });
/** HTTP status of a request for a repository's teams if the repository belongs to a user. */
const noOrganizationStatus = 405;

/** Git ref. Gitea returns a list only if other refs start with the same name. */
const gitRef = z.object({ ref: z.string(), object: z.object({ sha: z.string() }) });
const gitRefs = z.union([gitRef.transform((one) => [one]), z.array(gitRef)]);

/** User id of Gitea's and Forgejo's job tokens, which cannot read `/user`. */
const actionsUserId = -2;

/** Maximum number of empty pages in a timeline before its end, which are about 1,000 comments on lines. */
const maxEmptyPages = 20;

/** Opens a repository on Gitea, Forgejo or Codeberg. */
export const openGitea: OpenHost = (options, permissions) => {
  const { repository } = options;
  const api = openHostApi({
    ...options,
    title: "Gitea",
    headers: { authorization: `token ${options.token.reveal()}` },
    permissions,
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

  /**
   * Reads the events of a pull request. Gitea hides comments on lines after it has cut the pages, so a page may be empty
   * before the end of the list. Reads on after empty pages while `hasAll` returns false.
   */
  const readTimeline = (action: string, number: number, hasAll: () => boolean) =>
    api.list(
      action,
      `issues/${number}/timeline`,
      events,
      {},
      (emptyPages) => hasAll() || emptyPages > maxEmptyPages,
    );

  function retryNotFound<Found>(read: () => Promise<Found>): Promise<Found> {
    return retry(read, async (error, attempts) => {
      // Gitea briefly responds "not found" for a list while one of its pull requests is being created.
      const isNotFound = error instanceof HostError && error.code === "host-not-found";
      if (attempts === 4 || !isNotFound) throw error;
      await nodeSystem.sleep((options.backoffMs ?? 500) * attempts, options.signal);
    });
  }

  /**
   * Infers write access from the list of assignable users. In an organization, the list also includes members of teams
   * with less access, for example only to pull requests or the wiki.
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

  /** Sets the merged commit as the head, because Gitea returns the branch's current commit even after the merge. */
  async function withMergedHead(found: PullRequest): Promise<PullRequest> {
    if (!found.isMerged) return found;
    const { number } = found;
    const name = `pull/${number}/head`;
    const action = `read the merged commit of pull request ${number}`;
    const refs = await recoverNotFound([], api.get(action, `git/refs/${name}`, gitRefs));
    const head = refs.find(({ ref }) => ref === `refs/${name}`);
    return head ? { ...found, headCommit: head.object.sha } : found;
  }

  const operations = createGithubOperations(api, repository, {
    readAuthor,
    // A review is official if the reviewer has write access or is named by a branch rule.
    reviewerMayWrite: ({ official }) => official === true,
    buildStatusPath: (commit) => `statuses/${commit}`,
    // Gitea ignores sort options, and omits the creator of statuses set by jobs.
    statusOrder: "oldest first",
    anonymousId: actionsUserId,
  });
  const host: HostClient = {
    name: "gitea",
    // Gitea documents no limits, but comments above GitHub's limit make its pages slow.
    limits: { body: 65_536, statusDescription: 255 },
    ...operations,
    getPullRequest: async (number) => withMergedHead(await operations.getPullRequest(number)),
    async mayWrite(person) {
      try {
        return await operations.mayWrite(person);
      } catch (error) {
        // Only repository administrators can read permissions, and a job token is not an administrator.
        if (!(error instanceof HostError && error.code === "host-forbidden")) throw error;
        return inferWriteAccess(person, error);
      }
    },
    /** Counts the author as the pusher of commits older than the pull request. */
    async listPushers({ number, author, headCommit }) {
      const action = `check who pushed to pull request ${number}`;
      const found = [author];
      let isComplete = true;
      for await (const { type, user, body } of readTimeline(action, number, () => isComplete)) {
        if (type === "pull_push") found.push(user ?? undefined);
        // The timeline omits pushes to a closed pull request.
        if (type === "pull_push") isComplete = body?.includes(headCommit) === true;
        else if (type === "reopen") isComplete = false;
      }
      const pushers = found.filter((one) => one !== undefined);
      return isComplete && pushers.length === found.length ? pushers : undefined;
    },
    listPullRequests({ state, limit }) {
      // Gitea cannot filter by branch.
      const query = { state, sort: "recentupdate" };
      const action = `list the pull requests in ${repository}`;
      return retryNotFound(() => takeFirst(api.list(action, "pulls", z.array(pull), query), limit));
    },
    async findCloser(number) {
      const action = `check who closed pull request ${number}`;
      let last: Author | undefined;
      let isClosed = false;
      for await (const { type, user } of readTimeline(action, number, () => isClosed)) {
        if (type !== "close" && type !== "reopen") continue;
        isClosed = type === "close";
        last = isClosed ? (user ?? undefined) : undefined;
      }
      return last;
    },
    async *listComments(number) {
      const action = `read the comments on pull request ${number}`;
      // Gitea returns all comments at once.
      yield* await api.get(action, `issues/${number}/comments`, z.array(comment));
    },
    async listPullRequestsForCommit(commit) {
      const action = `find the pull request for commit ${commit}`;
      const path = `commits/${encodeURIComponent(commit)}/pull`;
      const found = await recoverNotFound(undefined, api.get(action, path, pull));
      return found ? [await withMergedHead(found)] : [];
    },
  };
  return { host, close: api.close };
};
