import * as z from "zod";
import type { Author, CodeHost, Comment, OpenHost, PullRequest } from "./host.js";
import { findPushers, newestFirst, openHostApi, orIfNotFound, parseTime } from "./host-api.js";
import { hostLinks } from "./links.js";
import { permissions } from "./permissions.js";

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
    /** Not in a list. */
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
      // The account of an access token of a project or group.
      isByBot: /^(project|group)_\d+_bot/.test(given.author?.login ?? ""),
      headBranch: given.source_branch,
      headCommit: given.sha ?? "",
      baseBranch: given.target_branch,
      baseCommit: given.diff_refs?.start_sha ?? undefined,
      isFromFork: given.source_project_id !== given.target_project_id,
    }),
  );
const approved = z.object({
  /** GitLab from 18.5 says when. */
  approved_by: z.array(z.object({ user, approved_at: z.string().nullish() })),
});
const versions = z.array(z.object({ head_commit_sha: z.string(), created_at: z.string() }));
const pushEvent = z.object({
  author: user.nullish(),
  push_data: z
    .object({ ref: z.string().nullish(), action: z.string(), commit_to: z.string().nullish() })
    .transform(({ commit_to, ...rest }) => ({ ...rest, commit_to: commit_to ?? undefined }))
    .nullish(),
});
/** So many pushes of the project are looked through for those of a branch. */
const mostEvents = 1_000;
const status = z.object({
  id: z.number(),
  name: z.string(),
  description: z.string().nullish(),
  author: user.nullish(),
  created_at: z.string().nullish(),
});

/** The access level of the role Developer, which may push. */
const developer = 30;
const mayPush = z
  .object({ access_level: z.number() })
  .transform((member) => member.access_level >= developer);

const closing = z.object({ closed_by: user.nullish() });

const perPage = 100;

export const openGitLab: OpenHost = (options) => {
  const { repository } = options;
  const api = openHostApi({
    ...options,
    title: "GitLab",
    headers: { "private-token": options.token.reveal() },
    permissions: permissions.gitlab,
    root: `/projects/${encodeURIComponent(repository)}`,
    pages: { parameter: "per_page", size: perPage, leastEntries: perPage },
  });
  const links = hostLinks(options);
  const commitPath = (commit: string) => `repository/commits/${encodeURIComponent(commit)}`;
  const notes = (number: number) => `merge_requests/${number}/notes`;
  const toComment = (number: number, { id, body, author }: z.infer<typeof note>): Comment => ({
    id,
    body,
    url: `${links.repository}/-/merge_requests/${number}#note_${id}`,
    author: author ?? undefined,
  });
  let author: Promise<Author> | undefined;

  /** Whether a push takes approvals back; GitLab without a licence has no such setting. */
  async function resetsApprovals(what: string): Promise<boolean> {
    const setting = z.object({ reset_approvals_on_push: z.boolean().nullish() });
    const found = await orIfNotFound(undefined, api.get(what, "approvals", setting));
    return found?.reset_approvals_on_push === true;
  }

  /** Newest first. */
  async function mergeRequestsFrom(source_branch: string, state: string): Promise<PullRequest[]> {
    const query = { state, source_branch, per_page: perPage, page: 1 };
    const what = `look for the merge request of ${source_branch}`;
    const found = await api.get(what, "merge_requests", z.array(mergeRequest), query);
    return found
      .filter((one) => one.headBranch === source_branch && !one.isFromFork)
      .toSorted((a, b) => b.number - a.number);
  }

  const host: CodeHost = {
    name: "gitlab",
    limits: { body: 1_000_000, statusDescription: 255 },
    author() {
      author ??= api.get("find out whose token it is", "/user", user);
      return author;
    },
    mayWrite({ id }) {
      const what = `find out whether user ${id} may push to ${repository}`;
      return orIfNotFound(false, api.get(what, `members/all/${id}`, mayPush));
    },

    pullRequest: (number) =>
      api.get(`read merge request ${number} of ${repository}`, `merge_requests/${number}`, mergeRequest),
    openPullRequests: async (headBranch) => (await mergeRequestsFrom(headBranch, "opened")).toReversed(),
    recentPullRequests(target_branch) {
      const order = { order_by: "updated_at", sort: "desc", per_page: 20, page: 1 };
      const query = { state: "opened", target_branch, ...order };
      const what = `look for other merge requests to ${target_branch}`;
      return api.get(what, "merge_requests", z.array(mergeRequest), query);
    },
    closedPullRequests: async (headBranch) =>
      (await mergeRequestsFrom(headBranch, "all")).filter(({ isOpen }) => !isOpen),
    async closedBy(number) {
      const what = `find out who closed merge request ${number}`;
      return (await api.get(what, `merge_requests/${number}`, closing)).closed_by ?? undefined;
    },
    createPullRequest({ title, body, headBranch, baseBranch }) {
      const made = { source_branch: headBranch, target_branch: baseBranch, title, description: body };
      const what = `create the merge request of ${headBranch}`;
      return api.write(what, "POST merge_requests", made, mergeRequest);
    },
    updatePullRequest(number, { title, body }) {
      const change = { title, description: body };
      return api.write(
        `update merge request ${number}`,
        `PUT merge_requests/${number}`,
        change,
        mergeRequest,
      );
    },
    closePullRequest: (number) =>
      api.send(`close merge request ${number}`, `PUT merge_requests/${number}`, { state_event: "close" }),

    async approvals({ number, headCommit }) {
      const what = `read the approvals of merge request ${number}`;
      const of = `merge_requests/${number}`;
      const { approved_by } = await api.get(what, `${of}/approvals`, approved);
      if (approved_by.length === 0) return [];
      // An approval names no commit: it is of what was there then, unless a push takes it back.
      const pushes = await api.get(what, `${of}/versions`, versions);
      const since = Date.parse(pushes.find((one) => one.head_commit_sha === headCommit)?.created_at ?? "");
      const isReset = approved_by.every(({ approved_at }) => approved_at) || (await resetsApprovals(what));
      const toApproval = async ({ user: by, approved_at }: (typeof approved_by)[number]) => ({
        ...{ by, mayWrite: await host.mayWrite(by) },
        isOfHead: approved_at ? Date.parse(approved_at) >= since : isReset,
        atMs: parseTime(approved_at),
      });
      return Promise.all(approved_by.map(toApproval));
    },
    committers: async () => [],
    async pushers({ number, headBranch, headCommit, isFromFork }) {
      const what = `find out who pushed commits of merge request ${number}`;
      async function* pushes() {
        let left = isFromFork ? 0 : mostEvents;
        const list = api.list(what, "events", z.array(pushEvent), { action: "pushed" });
        for await (const { author, push_data } of list) {
          if (left-- <= 0) return;
          if (push_data?.ref !== headBranch || push_data.action === "removed") continue;
          yield {
            by: author ?? undefined,
            commit: push_data.commit_to,
            isFirst: push_data.action === "created",
          };
        }
      }
      return findPushers(headCommit, pushes());
    },

    async *comments(number) {
      const what = `read the comments of merge request ${number}`;
      const query = { order_by: "created_at", sort: "asc" };
      for await (const one of api.list(what, notes(number), z.array(note), query))
        if (!one.system) yield toComment(number, one);
    },
    async createComment(number, body) {
      const made = api.write(`comment on merge request ${number}`, `POST ${notes(number)}`, { body }, note);
      return toComment(number, await made);
    },
    async updateComment(number, id, body) {
      const request = `PUT ${notes(number)}/${id}` as const;
      return toComment(number, await api.write(`update the comment ${id}`, request, { body }, note));
    },
    deleteComment: (number, id) => api.remove(`delete the comment ${id}`, `${notes(number)}/${id}`),

    createStatus(commit, { context, state, description, url }) {
      const set = {
        state: state === "failure" ? "failed" : state,
        name: context,
        description,
        target_url: url,
        // Without it, GitLab makes a pipeline of its own for the status.
        pipeline_id: options.pipelineId,
      };
      const request = `POST statuses/${encodeURIComponent(commit)}` as const;
      return api.send(`set the status of commit ${commit}`, request, set, { isRepeatable: true });
    },
    async *ownStatuses(commit) {
      const { id } = await host.author();
      const what = `read the statuses of commit ${commit}`;
      const found = api.list(what, `${commitPath(commit)}/statuses`, z.array(status), { all: "true" });
      // Oldest first; which order may be asked for depends on the version.
      for (const { name: context, description, author, created_at } of await newestFirst(found))
        if (author?.id === id) yield { context, description: description ?? "", atMs: parseTime(created_at) };
    },
    pullRequestsOf(commit) {
      const what = `look for the merge request of commit ${commit}`;
      const query = { per_page: perPage, page: 1 };
      return api.get(what, `${commitPath(commit)}/merge_requests`, z.array(mergeRequest), query);
    },
  };
  return { host, close: api.close };
};
