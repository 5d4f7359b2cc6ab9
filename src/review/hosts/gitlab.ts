import * as z from "zod";
import { isBotLogin } from "./bots.js";
import type { Author, Comment, HostClient, OpenHost, PullRequest } from "./host.js";
import {
  collectNewestFirst,
  collectPushers,
  openHostApi,
  parseTime,
  recoverNotFound,
  takeFirst,
} from "./host-api.js";

const user = z
  .object({ id: z.number(), username: z.string() })
  .transform(({ id, username: login }): Author => ({ id, login }));
const note = z.object({ id: z.number(), body: z.string(), system: z.boolean(), author: user.nullish() });
const mergeRequest = z
  .object({
    iid: z.number(),
    title: z.string(),
    description: z.string().nullish(),
    web_url: z.string(),
    state: z.string(),
    source_branch: z.string(),
    target_branch: z.string(),
    sha: z.string().nullish(),
    author: user.nullish(),
    source_project_id: z.number().nullish(),
    target_project_id: z.number(),
    /** Contains the base commit. Absent in lists. */
    diff_refs: z.object({ start_sha: z.string().nullish() }).nullish(),
  })
  .transform(
    (given): PullRequest => ({
      number: given.iid,
      title: given.title,
      body: given.description ?? "",
      url: given.web_url,
      isOpen: given.state === "opened",
      isMerged: given.state === "merged",
      author: given.author ?? undefined,
      isByBot: isBotLogin(given.author?.login ?? ""),
      headBranch: given.source_branch,
      headCommit: given.sha ?? "",
      baseBranch: given.target_branch,
      baseCommit: given.diff_refs?.start_sha ?? undefined,
      isFromFork: given.source_project_id !== given.target_project_id,
    }),
  );
const approvalState = z.object({
  /** Approvals. `approved_at` requires GitLab 18.5 or later. */
  approved_by: z.array(z.object({ user, approved_at: z.string().nullish() })),
});
const diffVersions = z.array(z.object({ head_commit_sha: z.string(), created_at: z.string() }));
const pushEvent = z.object({
  author: user.nullish(),
  push_data: z
    .object({ ref: z.string().nullish(), action: z.string(), commit_to: z.string().nullish() })
    .transform(({ commit_to, ...rest }) => ({ ...rest, commit_to: commit_to ?? undefined }))
    .nullish(),
});
/** Maximum number of the project's push events to read. */
const maxPushes = 1_000;
const status = z.object({
  id: z.number(),
  name: z.string(),
  description: z.string().nullish(),
  author: user.nullish(),
  created_at: z.string().nullish(),
});

/** Access level of the Developer role, which can push. */
const developerLevel = 30;
const hasWriteAccess = z
  .object({ access_level: z.number() })
  .transform((member) => member.access_level >= developerLevel);

const closing = z.object({ closed_by: user.nullish() });

const perPage = 100;

export const openGitLab: OpenHost = (options, permissions) => {
  const { repository, webUrl } = options;
  const api = openHostApi({
    ...options,
    title: "GitLab",
    headers: { "private-token": options.token.reveal() },
    permissions,
    root: `/projects/${encodeURIComponent(repository)}`,
    pages: { parameter: "per_page", size: perPage, minEntries: perPage },
  });
  const buildCommitPath = (commit: string) => `repository/commits/${encodeURIComponent(commit)}`;
  const buildNotesPath = (number: number) => `merge_requests/${number}/notes`;
  const toComment = (number: number, { id, body, author }: z.infer<typeof note>): Comment => ({
    id,
    body,
    url: `${webUrl}/${repository}/-/merge_requests/${number}#note_${id}`,
    author: author ?? undefined,
  });
  let author: Promise<Author> | undefined;

  /** Returns whether a push withdraws approvals. GitLab without a license lacks this setting. */
  async function resetsApprovals(action: string): Promise<boolean> {
    const setting = z.object({ reset_approvals_on_push: z.boolean().nullish() });
    const found = await recoverNotFound(undefined, api.get(action, "approvals", setting));
    return found?.reset_approvals_on_push === true;
  }

  const host: HostClient = {
    name: "gitlab",
    limits: { body: 1_000_000, statusDescription: 255 },
    getAuthor() {
      author ??= api.get("read the token's account", "/user", user);
      return author;
    },
    mayWrite({ id }) {
      const action = `check whether user ${id} has write access to ${repository}`;
      return recoverNotFound(false, api.get(action, `members/all/${id}`, hasWriteAccess));
    },

    getPullRequest: (number) =>
      api.get(`read merge request ${number} of ${repository}`, `merge_requests/${number}`, mergeRequest),
    listPullRequests({ state, headBranch: source_branch, baseBranch: target_branch, limit }) {
      // GitLab lists merged requests separately from closed ones, so both need "all".
      const shown = state === "open" ? "opened" : "all";
      const query = { state: shown, source_branch, target_branch, order_by: "updated_at", sort: "desc" };
      const action = `list the merge requests in ${repository}`;
      return takeFirst(api.list(action, "merge_requests", z.array(mergeRequest), query), limit);
    },
    async findCloser(number) {
      const action = `check who closed merge request ${number}`;
      return (await api.get(action, `merge_requests/${number}`, closing)).closed_by ?? undefined;
    },
    createPullRequest({ title, body, headBranch, baseBranch }) {
      const made = { source_branch: headBranch, target_branch: baseBranch, title, description: body };
      const action = `create a merge request from ${headBranch}`;
      return api.write(action, "POST merge_requests", made, mergeRequest);
    },
    updatePullRequest(number, change) {
      const [verb, sent] =
        "state" in change
          ? ["close", { state_event: "close" }]
          : ["update", { title: change.title, description: change.body }];
      return api.write(`${verb} merge request ${number}`, `PUT merge_requests/${number}`, sent, mergeRequest);
    },

    async listApprovals({ number, headCommit }) {
      const action = `read the approvals of merge request ${number}`;
      const path = `merge_requests/${number}`;
      const { approved_by } = await api.get(action, `${path}/approvals`, approvalState);
      if (approved_by.length === 0) return [];
      // Approvals do not name a commit. An approval covers the head if it is newer than the head's push. If its time is
      // unknown, it covers the head only if pushes withdraw approvals.
      const versions = await api.get(action, `${path}/versions`, diffVersions);
      const headVersion = versions.find((version) => version.head_commit_sha === headCommit);
      const pushedAtMs = Date.parse(headVersion?.created_at ?? "");
      const isReset = approved_by.every(({ approved_at }) => approved_at) || (await resetsApprovals(action));
      const toApproval = async ({ user: by, approved_at }: (typeof approved_by)[number]) => ({
        ...{ by, mayWrite: await host.mayWrite(by) },
        coversHead: approved_at ? Date.parse(approved_at) >= pushedAtMs : isReset,
        atMs: parseTime(approved_at),
      });
      return Promise.all(approved_by.map(toApproval));
    },
    async listPushers({ number, headBranch, headCommit, isFromFork }) {
      const action = `check who pushed to merge request ${number}`;
      async function* readPushes() {
        let left = isFromFork ? 0 : maxPushes;
        const list = api.list(action, "events", z.array(pushEvent), { action: "pushed" });
        for await (const { author, push_data } of list) {
          if (left-- <= 0) return;
          if (push_data?.ref !== headBranch || push_data.action === "removed") continue;
          yield {
            by: author ?? undefined,
            commit: push_data.commit_to,
            createsBranch: push_data.action === "created",
          };
        }
      }
      return collectPushers(headCommit, readPushes());
    },

    async *listComments(number) {
      const action = `read the comments on merge request ${number}`;
      const query = { order_by: "created_at", sort: "asc" };
      for await (const one of api.list(action, buildNotesPath(number), z.array(note), query))
        if (!one.system) yield toComment(number, one);
    },
    async createComment(number, body) {
      const made = api.write(
        `comment on merge request ${number}`,
        `POST ${buildNotesPath(number)}`,
        { body },
        note,
      );
      return toComment(number, await made);
    },
    async updateComment(number, id, body) {
      const request = `PUT ${buildNotesPath(number)}/${id}` as const;
      return toComment(number, await api.write(`update comment ${id}`, request, { body }, note));
    },
    deleteComment: (number, id) => api.remove(`delete comment ${id}`, `${buildNotesPath(number)}/${id}`),

    createStatus(commit, { context, state, description, url }) {
      const set = {
        state: state === "failure" ? "failed" : state,
        name: context,
        description,
        target_url: url,
        // Without this id, GitLab creates a pipeline for the status.
        pipeline_id: options.pipelineId,
      };
      const request = `POST statuses/${encodeURIComponent(commit)}` as const;
      return api.send(`set the status of commit ${commit}`, request, set, { isIdempotent: true });
    },
    async *listOwnStatuses(commit) {
      const { id } = await host.getAuthor();
      const action = `read the statuses of commit ${commit}`;
      const found = api.list(action, `${buildCommitPath(commit)}/statuses`, z.array(status), { all: "true" });
      // Sorted here, because GitLab lists oldest first and its sort options depend on the version.
      for (const { name: context, description, author, created_at } of await collectNewestFirst(found))
        if (author?.id === id) yield { context, description: description ?? "", atMs: parseTime(created_at) };
    },
    listPullRequestsForCommit(commit) {
      const action = `find the merge request for commit ${commit}`;
      const query = { per_page: perPage, page: 1 };
      return api.get(action, `${buildCommitPath(commit)}/merge_requests`, z.array(mergeRequest), query);
    },
  };
  return { host, close: api.close };
};
