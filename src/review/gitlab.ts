import * as z from "zod";
import { withPackage } from "../optional-packages/index.js";
import { snakeCase } from "../text/index.js";
import { checked, newestFirst, paged } from "./answers.js";
import type { Author, CodeHost, Comment, CommitStatus, Issue, PullRequest } from "./host.js";
import type { OpenHost } from "./host-options.js";
import { linksOf } from "./links.js";
import { ignoreNotFound, retrying } from "./retry.js";
import { openWire, type Wire } from "./wire.js";

const user = z.object({ id: z.number(), username: z.string() });
const note = z.object({ id: z.number(), body: z.string(), system: z.boolean(), author: user.nullish() });
const issue = z.object({
  iid: z.number(),
  title: z.string(),
  description: z.string().nullish(),
  web_url: z.string(),
  author: user.nullish(),
});
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
    source_project_id: z.number().nullish(),
    target_project_id: z.number(),
    /** Not in a list. */
    diff_refs: z.object({ start_sha: z.string().nullish() }).nullish(),
  })
  .transform(
    (given): PullRequest => ({
      ...{ number: given.iid, title: given.title, body: given.description ?? "", url: given.web_url },
      ...{ isOpen: given.state === "opened", isMerged: given.state === "merged" },
      ...{ headBranch: given.source_branch, headCommit: given.sha ?? "" },
      ...{ baseBranch: given.target_branch, baseCommit: given.diff_refs?.start_sha ?? undefined },
      isFromFork: given.source_project_id !== given.target_project_id,
    }),
  );

const status = z.object({
  id: z.number(),
  name: z.string(),
  description: z.string().nullish(),
  author: user.nullish(),
});

const perPage = 100;
const states = { pending: "pending", success: "success", failure: "failed" } as const satisfies Record<
  CommitStatus["state"],
  string
>;

export const openGitLab: OpenHost = async (options) => {
  const { Commits, Issues, MergeRequestNotes, MergeRequests, Users } = await withPackage(
    "@gitbeaker/rest",
    "Writing to GitLab",
    () => import("@gitbeaker/rest"),
  );
  const wire = openWire({
    ...options,
    permissions:
      "It needs the scope `api` and the role Reporter to comment, Developer for statuses and merge requests.",
  });
  const { repository } = options;
  const access = {
    host: options.apiUrl.replace(/\/api\/v4$/, ""),
    token: options.token.reveal(),
    // Limits of our own: its requester repeats a create after a 502, and follows redirects with the token.
    queryTimeout: null,
    requesterFn: requesterOver(wire, options.userAgent),
  };
  const notes = new MergeRequestNotes(access);
  const mergeRequests = new MergeRequests(access);
  const issues = new Issues(access);
  const commits = new Commits(access);
  const retry = retrying("GitLab", options);
  const links = linksOf(options);
  const pageOf = (number: number) => `${links.repository}/-/merge_requests/${number}`;
  let author: Promise<Author> | undefined;

  const host: CodeHost = {
    name: "gitlab",
    title: "GitLab",
    repository,
    limits: { body: 1_000_000, title: 255, statusDescription: 255 },
    links,
    author() {
      author ??= retry({ what: "find out whose token it is", repeatable: true }, async () => {
        const { id, username: login } = checked(user, await new Users(access).showCurrentUser());
        return { id, login };
      });
      return author;
    },
    pullRequest: (number) =>
      retry({ what: `read merge request ${number} of ${repository}`, repeatable: true }, async () =>
        checked(mergeRequest, await mergeRequests.show(repository, number)),
      ),
    openPullRequests: (sourceBranch) =>
      retry({ what: `look for the merge request of ${sourceBranch}`, repeatable: true }, async () => {
        const found = await mergeRequests.all({
          ...{ projectId: repository, state: "opened", sourceBranch, perPage, page: 1 },
        });
        return checked(z.array(mergeRequest), found)

          .filter((one) => one.headBranch === sourceBranch && !one.isFromFork)
          .toSorted((a, b) => a.number - b.number);
      }),
    createPullRequest: ({ title, body, headBranch, baseBranch }) =>
      retry({ what: `create the merge request of ${headBranch}`, repeatable: false }, async () => {
        const description = { description: body };
        const made = await mergeRequests.create(repository, headBranch, baseBranch, title, description);
        return checked(mergeRequest, made);
      }),
    updatePullRequest: (number, { title, body }) =>
      retry({ what: `update merge request ${number}`, repeatable: true }, async () => {
        const changed = await mergeRequests.edit(repository, number, { title, description: body });
        return checked(mergeRequest, changed);
      }),
    closePullRequest: (number) =>
      retry({ what: `close merge request ${number}`, repeatable: true }, async () => {
        await mergeRequests.edit(repository, number, { stateEvent: "close" });
      }),

    async *comments(number) {
      const found = paged(
        (page) =>
          retry({ what: `read the comments of merge request ${number}`, repeatable: true }, async () => {
            const order = { orderBy: "created_at", sort: "asc" } as const;
            const read = await notes.all(repository, number, { ...order, perPage, page });
            return checked(z.array(note), read);
          }),
        perPage,
      );
      for await (const one of found) if (!one.system) yield commentOf(one, pageOf(number));
    },
    createComment: (number, body) =>
      retry({ what: `comment on merge request ${number}`, repeatable: false }, async () => {
        const made = checked(note, await notes.create(repository, number, body));
        return commentOf(made, pageOf(number));
      }),
    updateComment: (number, id, body) =>
      retry({ what: `update the comment ${id}`, repeatable: true }, async () => {
        const changed = checked(note, await notes.edit(repository, number, id, { body }));
        return commentOf(changed, pageOf(number));
      }),
    deleteComment: (number, id) =>
      ignoreNotFound(
        retry({ what: `delete the comment ${id}`, repeatable: true }, () =>
          notes.remove(repository, number, id),
        ),
      ),

    async *openIssues() {
      const { id } = await host.author();
      const found = paged(
        (page) =>
          retry({ what: `read the issues of ${repository}`, repeatable: true }, async () => {
            const which = { projectId: repository, state: "opened", authorId: id } as const;
            return checked(z.array(issue), await issues.all({ ...which, perPage, page }));
          }),
        perPage,
      );
      for await (const one of found) if (one.author?.id === id) yield issueOf(one);
    },
    createIssue: ({ title, body }) =>
      retry({ what: `create an issue in ${repository}`, repeatable: false }, async () =>
        issueOf(checked(issue, await issues.create(repository, title, { description: body }))),
      ),
    updateIssue: (number, { title, body }) =>
      retry({ what: `update issue ${number}`, repeatable: true }, async () =>
        issueOf(checked(issue, await issues.edit(repository, number, { title, description: body }))),
      ),
    closeIssue: (number) =>
      retry({ what: `close issue ${number}`, repeatable: true }, async () => {
        await issues.edit(repository, number, { stateEvent: "close" });
      }),

    createStatus: (commit, { context, state, description, url }) =>
      retry({ what: `set the status of commit ${commit}`, repeatable: true }, async () => {
        await commits.editStatus(repository, commit, states[state], {
          ...{ name: context, description },
          ...(url === undefined ? {} : { targetUrl: url }),
          // Without it, GitLab makes a pipeline of its own for the status.
          ...(options.pipelineId === undefined ? {} : { pipelineId: options.pipelineId }),
        });
      }),
    async *ownStatuses(commit) {
      const { id } = await host.author();
      const found = paged(
        (page) =>
          retry({ what: `read the statuses of commit ${commit}`, repeatable: true }, async () => {
            const which = { all: true, perPage, page };
            return checked(z.array(status), await commits.allStatuses(repository, commit, which));
          }),
        perPage,
      );
      // Oldest first; which order may be asked for depends on the version.
      for (const { name: context, description, author } of await newestFirst(found))
        if (author?.id === id) yield { context, description: description ?? "" };
    },
    pullRequestsOf: (commit) =>
      retry({ what: `look for the merge request of commit ${commit}`, repeatable: true }, async () => {
        const found = await commits.allMergeRequests(repository, commit, { perPage, page: 1 });
        return checked(z.array(mergeRequest), found);
      }),
  };
  return { host, close: wire.close };
};

interface Sent {
  readonly body?: unknown;
  readonly searchParams?: Readonly<Record<string, unknown>>;
}

/** What gitbeaker sends its requests with. */
function requesterOver(wire: Wire, userAgent: string) {
  return (resource: {
    readonly url: string;
    readonly authHeaders: Readonly<Record<string, () => Promise<string>>>;
  }) => {
    const send = async (method: string, endpoint: string, { body, searchParams = {} }: Sent = {}) => {
      const url = new URL(endpoint, resource.url.endsWith("/") ? resource.url : `${resource.url}/`);
      for (const [name, value] of snakeCased(searchParams)) url.searchParams.set(name, String(value));
      const headers: Record<string, string> = { accept: "application/json", "user-agent": userAgent };
      for (const [name, token] of Object.entries(resource.authHeaders)) headers[name] = await token();
      const hasBody = body !== undefined && (method === "POST" || method === "PUT");
      if (hasBody) headers["content-type"] = "application/json";
      const text = hasBody ? JSON.stringify(Object.fromEntries(snakeCased(body as object))) : null;
      const answer = await wire.send(url.href, { method, headers, body: text });
      const answered = await answer.text();
      return {
        body: answered === "" ? null : JSON.parse(answered),
        headers: Object.fromEntries(answer.headers),
        status: answer.status,
      };
    };
    const of = (method: string) => (endpoint: string, sent?: Sent) => send(method, endpoint, sent);
    return { get: of("GET"), post: of("POST"), put: of("PUT"), patch: of("PATCH"), delete: of("DELETE") };
  };
}

function snakeCased(values: object): [string, unknown][] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [snakeCase(name), value]);
}

function authorOf(author: z.infer<typeof user> | null | undefined): { author?: Author } {
  return author ? { author: { id: author.id, login: author.username } } : {};
}

function commentOf({ id, body, author }: z.infer<typeof note>, page: string): Comment {
  return { id, body, url: `${page}#note_${id}`, ...authorOf(author) };
}

function issueOf({ iid, title, description, web_url, author }: z.infer<typeof issue>): Issue {
  return { number: iid, title, body: description ?? "", url: web_url, ...authorOf(author) };
}
