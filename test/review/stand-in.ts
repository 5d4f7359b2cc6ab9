import type { IncomingMessage, ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import type { HostOptions } from "../../src/review/hosts/index.js";
import { serve } from "../listening.js";
import { type Json, type JsonObject, loadDescription } from "./description.js";

/*
 * Simulates code hosts over HTTP with in-memory pull requests, comments and statuses. Checks each request and response
 * against the hosts' published API descriptions.
 */

export type StandInName = "github" | "github-enterprise" | "gitlab" | "gitea";
export const standIns: readonly StandInName[] = ["github", "github-enterprise", "gitlab", "gitea"];

export interface Person {
  readonly id: number;
  readonly login: string;
}

export interface StoredPull {
  number: number;
  title: string;
  body: string;
  open: boolean;
  readonly head: string;
  commit: string;
  /** Earlier commits on the branch. */
  readonly earlier?: readonly string[];
  readonly base: string;
  /** Base commit. Default: a commit missing from every clone. */
  readonly baseCommit?: string;
  readonly fromFork: boolean;
  /** Whether a user with read access pushed to refs/for/main (Gitea). */
  readonly isPushedForReview?: boolean;
  /** Merge commit. */
  merged?: string;
  /** Commit of the branch, if it moved after the merge. */
  branchTip?: string;
  isBranchDeleted?: boolean;
  /** Trial merge commit (GitHub). */
  testMerge?: string;
  readonly author?: Person;
  /** User who closed the pull request without a merge. */
  closedBy?: Person;
}

/** Review, or approval on GitLab. */
export interface StoredReview {
  readonly by: Person;
  /** Pull request number. Default: all pull requests. */
  readonly pull?: number;
  readonly commit: string;
  /** Verdict. Default: approved. */
  state?: "approved" | "changes" | "commented" | "dismissed";
  /** Review time. If omitted, the host does not show a time. */
  readonly at?: string;
  readonly isOfApp?: boolean;
}

export interface StoredText {
  readonly id: number;
  readonly by: Person;
  /** Pull request number. */
  readonly pull: number;
  body: string;
}

export interface StoredStatus {
  readonly commit: string;
  readonly context: string;
  readonly state: string;
  readonly description: string;
  readonly url: string;
  readonly at?: string;
  /** Creator. Default: our account. Null for a status set by a Gitea job token. */
  readonly by?: Person | null;
}

interface Pushed {
  readonly commit: string;
  readonly at: string;
  /** Author. Default: our account. */
  readonly by?: Person;
}

/** Code host data. */
export interface World {
  readonly me: Person;
  readonly pulls: StoredPull[];
  comments: StoredText[];
  readonly statuses: StoredStatus[];
  /** Accounts with write access. On Gitea, also the possible assignees. */
  readonly writers: Person[];
  /** Reviews on all pull requests, oldest first. */
  readonly reviews: StoredReview[];
  /** Account of each commit's author, by commit. Real hosts find it by the email address. */
  readonly committers: Record<string, Person>;
  /** Pushes to the branch, newest first. Default: the pull requests' commits, pushed by our account on 2026-01-01. */
  pushes?: readonly Pushed[];
  /** Whether a push resets approvals (GitLab). Undefined if the instance lacks this setting. */
  resetsApprovals?: boolean;
  /** Number of comments on lines after the first push of a pull request (Gitea). */
  lineComments?: number;
  /** Each team's permission in the organization (Gitea). Undefined if a user owns the repository. */
  teams?: readonly ("none" | "read" | "write" | "owner")[];
}

/** Replaces the responses to the next matching requests. */
export interface Fault {
  /** Request pattern, such as /^POST .*comments/. */
  readonly on: RegExp;
  /** Number of requests to replace. Default: 1. */
  readonly times?: number;
  /** Whether the server processes the request before the fault. Default: no. */
  readonly after?: boolean;
  /** Whether to keep the connection open without a response. */
  readonly hangs?: boolean;
  /** Response. Default: close the connection. */
  readonly answer?: {
    readonly status: number;
    readonly headers?: Record<string, string>;
    readonly body?: string;
  };
}

export interface StandIn {
  readonly world: World;
  readonly options: HostOptions;
  /** Method and path of each request. */
  readonly requests: readonly string[];
  /** Violations of the API description. */
  readonly problems: readonly string[];
  /** The workflow's `permissions`, which limit the job token. Default: all permissions. */
  permissions?: Readonly<Record<string, string>> | undefined;
  fail(fault: Fault): void;
  /** Called before a request is processed. A promise delays the request. */
  before?: ((request: string) => unknown) | undefined;
}

const token = "secret-token-1234";
const noCommit = "0".repeat(40);
const prefixes = { github: "", "github-enterprise": "/api/v3", gitlab: "/api/v4", gitea: "/api/v1" };
export const me: Person = { id: 41, login: "avatarops-bot" };
export const guest: Person = { id: 7, login: "guest" };

/** Starts a host with one open pull request, number 7, from `change` to `main`. */
export async function startStandIn(name: StandInName, more: Partial<HostOptions> = {}): Promise<StandIn> {
  const description = loadDescription(name);
  const head = { head: "change", commit: "1".repeat(40), base: "main", fromFork: false };
  // Gitea jobs write as an account that is missing from all user lists.
  const own = name === "gitea" && more.isJobToken ? { id: -2, login: "gitea-actions" } : me;
  const world: World = {
    me: own,
    pulls: [{ number: 7, title: "Change the prompt", body: "", open: true, ...head }],
    ...{ comments: [], statuses: [], writers: [me] },
    ...{ reviews: [], committers: {} },
  };
  const requests: string[] = [];
  const problems: string[] = [];
  const faults: Fault[] = [];
  const { url: webUrl, close } = await serve((request, response) => {
    void handle(request, response).catch((error: unknown) => {
      problems.push(String(error));
      response.writeHead(500).end("{}");
    });
  });
  onTestFinished(close);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    const shown = `${method} ${url}`;
    requests.push(shown);
    const text = await readBody(request);
    await standIn.before?.(shown);
    const fault = faults.find(({ on }) => on.test(shown));
    if (fault) {
      const { times = 1 } = fault;
      faults.splice(faults.indexOf(fault), 1, ...(times > 1 ? [{ ...fault, times: times - 1 }] : []));
      if (fault.after) await performRequest(request, text);
      if (fault.hangs) return;
      if (!fault.answer) return void response.destroy();
      response.writeHead(fault.answer.status, {
        "content-type": "application/json",
        ...fault.answer.headers,
      });
      return void response.end(fault.answer.body ?? '{"message":"no"}');
    }
    const { status, body } = await performRequest(request, text);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(body === null ? "" : JSON.stringify(body));
  }

  async function performRequest(
    request: IncomingMessage,
    text: string,
  ): Promise<{ status: number; body: Json }> {
    const { pathname, searchParams } = new URL(request.url ?? "", webUrl);
    const given = [request.headers.authorization, request.headers["private-token"]].join(" ");
    if (!given.includes(token)) return { status: 401, body: { message: "Bad credentials" } };
    if (!request.headers["user-agent"]?.startsWith("avatarops/")) problems.push("no user agent");
    const method = request.method ?? "";
    const body = text === "" ? undefined : (JSON.parse(text) as Json);
    if (pathname === "/api/graphql" || pathname === "/graphql")
      return { status: 200, body: { data: { viewer: { databaseId: me.id, login: me.login } } } };
    const prefix = prefixes[name];
    const found = pathname.startsWith(prefix)
      ? description.find(method, pathname.slice(prefix.length))
      : undefined;
    if (!found) {
      problems.push(`There is no ${method} ${pathname}`);
      return { status: 404, body: { message: "Not Found" } };
    }
    const { operation, values } = found;
    problems.push(...description.findProblems(operation, searchParams, body));
    if (!isPermitted(name, operation, standIn.permissions))
      return { status: 403, body: { message: "user should have a permission to write to a repo" } };
    const call = {
      ...{ world, webUrl, query: searchParams, body: (body ?? {}) as JsonObject },
      ...parseCall(operation, values),
    };
    if (operation.includes("/projects/{id}") && values.id !== "team/avatars")
      problems.push(`There is no project ${values.id}`);
    const answer = name === "gitlab" ? respondLikeGitLab(call) : respondLikeGitHub(call, name === "gitea");
    if (!answer) return { status: 404, body: { message: "Not Found" } };
    const [status, shown] = answer;
    return { status, body: status >= 300 ? shown : description.makeResponse(operation, status, shown) };
  }

  const standIn: StandIn = {
    ...{ world, requests, problems },
    fail: (fault) => void faults.push(fault),
    options: {
      name: name === "github-enterprise" ? "github" : name,
      webUrl,
      apiUrl: webUrl + prefixes[name],
      repository: "team/avatars",
      token: { variable: "HOST_TOKEN", reveal: () => token },
      userAgent: "avatarops/0.0.0",
      backoffMs: 1,
      ...more,
    },
  };
  return standIn;
}

/**
 * `permissions` that each operation needs in GitHub and Gitea 1.26 jobs. Gitea has no status permission and uses
 * `contents`.
 */
const needed: readonly (readonly [operation: RegExp, permission: string])[] = [
  [/ \/repos\/[^ ]*\/statuses(\/|$)/, "statuses"],
  [/ \/repos\/[^ ]*\/(pulls?|comments|timeline)(\/|$)/, "pull-requests"],
  [/ \/repos\/[^ ]*\/issues(\/|$)/, "issues"],
];

function isPermitted(name: StandInName, operation: string, permissions: StandIn["permissions"]): boolean {
  const [, permission = ""] = needed.find(([one]) => one.test(operation)) ?? [];
  if (permissions === undefined || permission === "") return true;
  const has = permissions[name === "gitea" && permission === "statuses" ? "contents" : permission];
  return has === "write" || (has === "read" && operation.startsWith("GET "));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

interface Call {
  readonly world: World;
  readonly webUrl: string;
  /** Operation without repository and parameter names, such as "GET /pulls/{}/reviews". */
  readonly route: string;
  /** Values of the path parameters, with the same names for all hosts. */
  readonly number: number;
  readonly id: number;
  readonly login: string;
  readonly sha: string;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
}

function parseCall(operation: string, values: Readonly<Record<string, string>>) {
  const findValue = (...names: string[]) => names.map((name) => values[name]).find((value) => value) ?? "";
  return {
    route: operation.replace(/\/repos\/\{owner\}\/\{repo\}|\/projects\/\{id\}/, "").replace(/\{\w+\}/g, "{}"),
    number: Number(findValue("pull_number", "issue_number", "index", "merge_request_iid", "noteable_id")),
    id: Number(findValue("comment_id", "note_id", "user_id", "id")),
    login: findValue("username", "collaborator"),
    sha: findValue("sha", "ref", "commit_sha"),
  };
}

/** Response status and values. Undefined if the resource does not exist. */
type Answer = readonly [status: number, values: Json] | undefined;

let lastId = 1000;

function respondLikeGitHub(call: Call, isGitea: boolean): Answer {
  const { world, route, number, id, login, sha, query, body, webUrl } = call;
  const show = showAsGitHub(webUrl, isGitea, (person) => world.writers.some((one) => one.id === person.id));
  const pull = world.pulls.find((one) => one.number === number);
  const comment = world.comments.find((one) => one.id === id);
  const showPerson = (of: Person | null | undefined) => (of ? { ...of } : null);
  switch (route) {
    case "GET /user":
      return [200, { ...world.me }];
    case "GET /collaborators/{}/permission": {
      if (world.me.id === -2) return [403, { message: "Only admins can query all permissions" }];
      const permission = world.writers.some((one) => one.login === login) ? "write" : "read";
      // The response contains a user even for an unknown login, as on the real hosts.
      return [200, { permission, role_name: permission, user: { id: 1, login } }];
    }
    case "GET /teams":
      if (!world.teams) return [405, { message: "repo is not owned by an organization" }];
      return [200, world.teams.map((code, id) => ({ id, name: "team", units_map: { "repo.code": code } }))];
    case "GET /assignees":
      return [200, world.writers.map((one) => ({ ...one }))];
    case "GET /pulls":
      return [200, paginate(listPulls(world, query, query.get("head")?.split(":")[1]), query).map(show.pull)];
    case "POST /pulls":
      return createPull(world, body, show.pull, isGitea ? 409 : 422);
    case "GET /pulls/{}":
      return pull && [200, show.pull(pull)];
    case "PATCH /pulls/{}":
      return pull && [isGitea ? 201 : 200, show.pull(updatePull(pull, body, world.me))];
    case "GET /pulls/{}/reviews":
      return [200, paginate(listReviews(call).map(show.review), query)];
    case "GET /pulls/{}/commits": {
      const shown =
        pull && paginate(listCommits(pull), query).map((one) => show.commit(one, world.committers[one]));
      return shown && [200, shown];
    }
    case "GET /activity": {
      const own = world.pulls.filter(({ head }) => query.get("ref") === `refs/heads/${head}`);
      const shown = listPushes(world, ...own).map(({ commit: after, by = world.me }, id, { length }) => ({
        ...{ id, after, before: noCommit, ref: query.get("ref") ?? "", actor: { ...by } },
        activity_type: id === length - 1 ? "branch_creation" : "push",
      }));
      return [200, shown];
    }
    case "GET /git/refs/{}": {
      const shown = world.pulls.find((one) => sha === `pull/${one.number}/head`);
      return shown && [200, [{ ref: `refs/${sha}`, object: { sha: shown.commit } }]];
    }
    case "GET /issues/{}":
      return pull && [200, { ...show.issue(pull), closed_by: showPerson(pull.closedBy) }];
    case "GET /issues/{}/timeline": {
      const closing = pull?.closedBy ? [{ id: 2, type: "close", user: { ...pull.closedBy } }] : [];
      const shown = listPushes(world, pull)
        .toReversed()
        .map(({ commit, by = me }, id) => {
          const body = JSON.stringify({ is_force_push: false, commit_ids: [commit] });
          return { id, type: "pull_push", user: { ...by }, body };
        });
      const lines = Array.from({ length: world.lineComments ?? 0 }, () => ({ type: "code" }));
      // Gitea hides comments on lines after it has cut the page.
      const page = paginate([...shown.slice(0, 1), ...lines, ...shown.slice(1), ...closing], query);
      return [200, page.filter(({ type }) => type !== "code")];
    }
    case "POST /issues/{}/comments":
      return [201, show.comment(create(world.comments, world.me, number, body))];
    case "GET /issues/{}/comments": {
      const all = world.comments.filter((one) => one.pull === number);
      return [200, (query.has("page") ? paginate(all, query) : all).map(show.comment)];
    }
    case "PATCH /issues/comments/{}":
      return comment && [200, show.comment(Object.assign(comment, body))];
    case "DELETE /issues/comments/{}":
      return comment && remove(world, comment);
    case "GET /commits/{}/pulls":
      return [200, world.pulls.filter(matchesCommit(sha)).map(show.pull)];
    case "GET /commits/{}/pull": {
      const found = world.pulls.find(({ merged }) => merged === sha);
      return found && [200, show.pull(found)];
    }
    case "GET /commits/{}/statuses":
      return [200, paginate(listStatuses(world, sha), query).map(show.status)];
    case "GET /statuses/{}":
      // Gitea lists the oldest status first, despite the name of the sort parameter.
      return [200, paginate(listStatuses(world, sha).toReversed(), query).map(show.status)];
    case "POST /statuses/{}": {
      const { context = "default", state = "", description = "" } = setStatus(call, "context");
      return [201, isGitea ? { context } : { state, description, context }];
    }
  }
  return undefined;
}

function respondLikeGitLab(call: Call): Answer {
  const { world, route, number: iid, id, sha, query, body, webUrl } = call;
  const showPerson = ({ id, login }: Person) => ({ id, username: login });
  const showNote = ({ id, body, by }: StoredText) => ({ id, body, system: false, author: showPerson(by) });
  const showPull = ({ number, title, body, open, merged, head, commit, base, ...pull }: StoredPull) => ({
    ...{ iid: number, title, description: body, sha: commit },
    diff_refs: { start_sha: pull.baseCommit ?? noCommit },
    state: open ? "opened" : merged === undefined ? "closed" : "merged",
    ...{
      source_branch: head,
      target_branch: base,
      source_project_id: pull.fromFork ? 2 : 1,
      target_project_id: 1,
    },
    web_url: `${webUrl}/team/avatars/-/merge_requests/${number}`,
    ...{ author: showPerson(pull.author ?? guest) },
    closed_by: pull.closedBy ? showPerson(pull.closedBy) : null,
  });
  const showStatus = (
    { commit, context, state, description, by = world.me, at: time }: StoredStatus,
    at: number,
  ) => ({
    ...{ id: at, sha: commit, status: state, name: context, description, author: by && showPerson(by) },
    ...(time === undefined ? {} : { created_at: time }),
  });
  const renameFields = ({ description, source_branch: head, target_branch: base, ...rest }: JsonObject) => ({
    ...rest,
    ...(description === undefined ? {} : { body: description }),
    ...(head === undefined ? {} : { head, base }),
  });
  const pull = world.pulls.find((one) => one.number === iid);
  const note = world.comments.find((one) => one.id === id);
  switch (route) {
    case "GET /user":
      return [200, showPerson(world.me)];
    case "GET /members/all/{}": {
      const writer = world.writers.find((one) => one.id === id);
      return writer && [200, { ...showPerson(writer), access_level: writer === guest ? 20 : 30 }];
    }
    case "POST /merge_requests":
      return createPull(world, renameFields(body), showPull, 409);
    case "GET /merge_requests":
      return [
        200,
        paginate(listPulls(world, query, query.get("source_branch") ?? undefined), query).map(showPull),
      ];
    case "GET /merge_requests/{}":
      return pull && [200, showPull(pull)];
    case "PUT /merge_requests/{}":
      return pull && [200, showPull(updatePull(pull, renameFields(body), world.me))];
    case "GET /merge_requests/{}/approvals": {
      const given = listReviews(call).filter(({ state }) => state === undefined || state === "approved");
      const show = ({ by, at }: StoredReview) => ({
        user: showPerson(by),
        ...(at ? { approved_at: at } : {}),
      });
      return [200, { approved: given.length > 0, approved_by: given.map(show) }];
    }
    case "GET /merge_requests/{}/versions": {
      const show = ({ commit, at }: Pushed) => ({ id: 1, head_commit_sha: commit, created_at: at });
      return [200, paginate(listPushes(world, pull).map(show), query)];
    }
    case "GET /events": {
      const all = world.pulls.flatMap((one) =>
        listPushes(world, one).map(({ commit, by = world.me }, at, { length }) => {
          const action = at === length - 1 ? "created" : "pushed";
          return { author: showPerson(by), push_data: { ref: one.head, action, commit_to: commit } };
        }),
      );
      return [200, paginate(all, query)];
    }
    case "GET /approvals": {
      const { resetsApprovals } = world;
      return resetsApprovals === undefined ? undefined : [200, { reset_approvals_on_push: resetsApprovals }];
    }
    case "POST /merge_requests/{}/notes":
      return [201, showNote(create(world.comments, world.me, iid, body))];
    case "GET /merge_requests/{}/notes": {
      const system = { id: 1, body: "assigned to somebody", system: true, author: showPerson(guest) };
      const all = world.comments.filter((one) => one.pull === iid).map(showNote);
      return [200, paginate([system, ...all], query)];
    }
    case "PUT /merge_requests/{}/notes/{}":
      return note && [200, showNote(Object.assign(note, body))];
    case "DELETE /merge_requests/{}/notes/{}":
      return note && remove(world, note);
    case "GET /repository/commits/{}/merge_requests":
      return [200, paginate(world.pulls.filter(matchesCommit(sha)), query).map(showPull)];
    case "GET /repository/commits/{}/statuses":
      return [200, paginate(listStatuses(world, sha).toReversed().map(showStatus), query)];
    case "POST /statuses/{}":
      return [201, showStatus(setStatus(call, "name"), world.statuses.length)];
  }
  return undefined;
}

function showAsGitHub(webUrl: string, isGitea: boolean, isWriter: (person: Person) => boolean) {
  const page = `${webUrl}/team/avatars`;
  const side = (ref: string, sha: string, id: number, label = ref) => ({
    ...{ ref, sha, label },
    ...(isGitea ? { repo_id: id } : { repo: { id } }),
  });
  /** Gitea shows the pull request's own ref if the branch was deleted, and later commits of a merged branch. */
  const showHead = (pull: Pick<StoredPull, "number" | "head" | "commit"> & Partial<StoredPull>) => {
    const { number, head, commit, branchTip = commit, fromFork } = pull;
    const ref = `refs/pull/${number}/head`;
    if (pull.isPushedForReview) return side(ref, commit, 1, "");
    if (isGitea && pull.isBranchDeleted) return side(ref, commit, 1, head);
    return side(head, isGitea ? branchTip : commit, fromFork ? 2 : 1);
  };
  return {
    pull: ({ number, title, body, open, merged, head, commit, base, ...pull }: StoredPull) => ({
      ...{ number, title, body, state: open ? "open" : "closed", html_url: `${page}/pull/${number}` },
      merged: merged !== undefined,
      merge_commit_sha: merged ?? (isGitea ? null : (pull.testMerge ?? null)),
      ...(isGitea ? {} : { merged_at: merged ? "2026-01-01T00:00:00Z" : null }),
      user: { ...(pull.author ?? guest) },
      head: showHead({ number, head, commit, ...pull }),
      base: side(base, pull.baseCommit ?? noCommit, 1),
    }),
    review: ({ by, commit, state = "approved", isOfApp, at: time }: StoredReview, at: number) => {
      const name = { approved: "APPROVED", commented: "COMMENTED", changes: "CHANGES_REQUESTED" };
      const asked = { commented: "COMMENT", changes: "REQUEST_CHANGES" };
      const ofGitea = { ...asked, approved: "APPROVED", dismissed: "APPROVED" };
      const user = { ...by, ...(isOfApp ? { type: "Bot" } : {}) };
      return isGitea
        ? {
            ...{ id: at + 1, user, commit_id: commit, state: ofGitea[state], official: isWriter(by) },
            dismissed: state === "dismissed",
            submitted_at: time ?? null,
          }
        : {
            ...{ id: at + 1, user, commit_id: commit, submitted_at: time ?? null },
            state: state === "dismissed" ? "DISMISSED" : name[state],
          };
    },
    commit: (sha: string, by: Person | undefined) => ({
      sha,
      author: by ? { ...by } : null,
      committer: by ? { ...by } : null,
    }),
    comment: ({ id, body, by, pull }: StoredText) => ({
      ...{ id, body, html_url: `${page}/pull/${pull}#issuecomment-${id}`, user: { ...by } },
    }),
    status: ({ context, state, description, by = me, at: time }: StoredStatus, at: number) => ({
      ...{ context, description, creator: by && { ...by }, created_at: time ?? null },
      ...(isGitea ? { status: state, id: at } : { state }),
    }),
    /** Returns a pull request as it appears in the issue list. */
    issue: ({ number, title, body, open, author = guest }: StoredPull) => ({
      ...{ number, title, body, state: open ? "open" : "closed" },
      ...{ html_url: `${page}/issues/${number}`, user: { ...author } },
    }),
  };
}

function listCommits({ commit, earlier = [] }: StoredPull): string[] {
  return [...earlier, commit];
}

function listPushes({ pushes }: World, ...pulls: readonly (StoredPull | undefined)[]): readonly Pushed[] {
  return pushes ?? pulls.map((pull) => ({ commit: pull?.commit ?? "", at: "2026-01-01T00:00:00.000Z" }));
}

/** Matches pull requests whose merge commit or head is this commit, whether open or closed, like GitHub and GitLab. */
function matchesCommit(sha: string) {
  return ({ merged, commit }: StoredPull) => merged === sha || commit === sha;
}

function listReviews({ world, number }: Call): readonly StoredReview[] {
  return world.reviews.filter(({ pull = number }) => pull === number);
}

/** Returns the statuses of a commit, newest first. */
function listStatuses({ statuses }: World, commit: string): StoredStatus[] {
  return statuses.filter((one) => one.commit === commit).reverse();
}

/** Returns the pull requests in the requested state. */
function listPulls({ pulls }: World, query: URLSearchParams, head?: string): StoredPull[] {
  const state = query.get("state");
  return pulls.filter(
    ({ open, ...one }) =>
      (state === "all" || open === (state !== "closed")) && (head ?? one.head) === one.head,
  );
}

function createPull(world: World, body: JsonObject, show: (pull: StoredPull) => Json, taken: number): Answer {
  if (world.pulls.some(({ open, head }) => open && head === body.head))
    return [taken, { message: "A pull request already exists" }];
  lastId += 1;
  const facts = { commit: "3".repeat(40), fromFork: false, author: world.me };
  const made = { number: lastId, open: true, ...facts, ...body } as StoredPull;
  world.pulls.push(made);
  return [201, show(made)];
}

function remove(world: World, comment: StoredText): Answer {
  world.comments = world.comments.filter((one) => one !== comment);
  return [204, null];
}

/** Sets a commit status. `property` names the field that contains the context. */
function setStatus({ world, sha: commit, body }: Call, property: string): StoredStatus {
  const { state, description = "", [property]: context = "default", target_url: url = "" } = body;
  // Gitea omits the creator of statuses that a job token sets.
  const by = world.me.id === -2 ? { by: null } : {};
  const at = new Date().toISOString();
  const made = { commit, context, state, description, url, at, ...by } as StoredStatus;
  world.statuses.push(made);
  return made;
}

function create(texts: StoredText[], by: Person, pull: number, body: JsonObject): StoredText {
  lastId += 1;
  const made = { id: lastId, by, pull, ...body } as StoredText;
  texts.push(made);
  return made;
}

/** Adds a user's comment, as if written on the web page. */
export function write(world: World, by: Person, body: string, pull = 7): StoredText {
  return create(world.comments, by, pull, { body });
}

function updatePull(
  pull: StoredPull,
  { state, state_event: event, ...rest }: JsonObject,
  closedBy: Person,
): StoredPull {
  const isClosed = state === "closed" || event === "close";
  return Object.assign(pull, rest, isClosed ? { open: false, closedBy } : {});
}

function paginate<Entry>(all: readonly Entry[], query: URLSearchParams): Entry[] {
  const size = Number(query.get("per_page") ?? query.get("limit") ?? 30);
  const start = (Number(query.get("page") ?? 1) - 1) * size;
  return all.slice(start, start + size);
}
