import type { IncomingMessage, ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import type { HostOptions } from "../../src/review/hosts/index.js";
import { serve } from "../listening.js";
import { type Description, descriptionOf, type Json, type JsonObject } from "./description.js";

/*
 * Code hosts that keep pull requests, comments and statuses in memory, over HTTP. They hold every request, and
 * their own answers, to the descriptions that the hosts publish.
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
  /** The commits before it. */
  readonly earlier?: readonly string[];
  readonly base: string;
  /** Default: one that no clone has. */
  readonly baseCommit?: string;
  readonly fromFork: boolean;
  /** Gitea: pushed to refs/for/main, by somebody who may only read. */
  readonly isPushedForReview?: boolean;
  /** The commit that its merge made. */
  merged?: string;
  /** GitHub: the one that it made to test whether it can be merged. */
  testMerge?: string;
  readonly author?: Person;
  /** Absent: nobody. */
  closedBy?: Person;
}

/** A review, or on GitLab an approval. */
export interface StoredReview {
  readonly by: Person;
  /** Default: of every pull request. */
  readonly pull?: number;
  readonly commit: string;
  /** Default: approved. */
  state?: "approved" | "changes" | "commented" | "dismissed";
  /** GitLab: when. */
  readonly at?: string;
  readonly isOfApp?: boolean;
}

export interface StoredText {
  readonly id: number;
  readonly by: Person;
  /** The number of the pull request. */
  readonly pull: number;
  body: string;
}

export interface StoredStatus {
  readonly commit: string;
  readonly context: string;
  readonly state: string;
  readonly description: string;
  readonly url: string;
  /** Default: ours. Null: Gitea names no creator of what the token of a job has set. */
  readonly by?: Person | null;
}

interface Pushed {
  readonly commit: string;
  readonly at: string;
  /** Default: us. */
  readonly by?: Person;
}

/** What a host holds. */
export interface World {
  readonly me: Person;
  readonly pulls: StoredPull[];
  comments: StoredText[];
  readonly statuses: StoredStatus[];
  /** Those who may push; on Gitea, also whom the list of assignees has. */
  readonly writers: Person[];
  /** Oldest first, of whatever pull request. */
  readonly reviews: StoredReview[];
  /** By commit: the account whose address is in it. */
  readonly committers: Record<string, Person>;
  /** What was pushed to the branch, newest first; default: the commits of its pull requests, by us on New Year's Day. */
  pushes?: readonly Pushed[];
  /** GitLab: a push takes approvals back; default: it has no such setting. */
  resetsApprovals?: boolean;
  /** Gitea: how far each team may go that an organization gave the repository; undefined: a user owns it. */
  teams?: readonly ("none" | "read" | "write" | "owner")[];
}

/** Instead of the answer to the next request that matches. */
export interface Fault {
  /** Such as /^POST .*comments/. */
  readonly on: RegExp;
  /** Default: 1. */
  readonly times?: number;
  /** Whether the request is carried out all the same. Default: no. */
  readonly after?: boolean;
  /** Never answers, and keeps the connection. */
  readonly hangs?: boolean;
  /** Without it, the connection is cut. */
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
  /** What was not as described. */
  readonly problems: readonly string[];
  /** What the token of a job may do, as its workflow says. Default: everything. */
  permissions?: Readonly<Record<string, string>> | undefined;
  fail(fault: Fault): void;
  /** Called before a request is carried out. */
  before?: ((request: string) => void) | undefined;
}

const token = "secret-token-1234";
const noCommit = "0".repeat(40);
const prefixes = { github: "", "github-enterprise": "/api/v3", gitlab: "/api/v4", gitea: "/api/v1" };
export const me: Person = { id: 41, login: "avatarops-bot" };
export const guest: Person = { id: 7, login: "guest" };

/** Starts a host with one open pull request, number 7, from `change` to `main`. */
export async function startStandIn(name: StandInName, more: Partial<HostOptions> = {}): Promise<StandIn> {
  const description = descriptionOf(name);
  const head = { head: "change", commit: "1".repeat(40), base: "main", fromFork: false };
  // Gitea's jobs write as an account that is in no list of its users.
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
    const text = await bodyOf(request);
    standIn.before?.(shown);
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
    problems.push(...description.problemsOf(found.operation, searchParams, body));
    if (!isPermitted(name, found.operation, standIn.permissions))
      return { status: 403, body: { message: "user should have a permission to write to a repo" } };
    const answer = (name === "gitlab" ? gitlab : name === "gitea" ? gitea : github)({
      ...{ world, description, webUrl, query: searchParams, body: (body ?? {}) as JsonObject },
      ...found,
    });
    if (!answer) return { status: 404, body: { message: "Not Found" } };
    const [status, values] = answer;
    if (status >= 300) return { status, body: values };
    return { status, body: description.answer(found.operation, status, values) };
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
 * What each operation needs, as `permissions` of a job on GitHub and on Gitea 1.26: that has no permission of its own for statuses, and
 * takes that for the code.
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

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

interface Call {
  readonly world: World;
  readonly description: Description;
  readonly webUrl: string;
  readonly operation: string;
  readonly values: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
}

/** Status and values of an answer; undefined for what is not there. */
type Answer = readonly [status: number, values: Json] | undefined;

let lastId = 1000;

function github(call: Call): Answer {
  const { world, operation, values, query, webUrl } = call;
  const show = showAsGitHub(webUrl, false);
  switch (operation) {
    case "GET /repos/{owner}/{repo}/pulls":
      return [200, page(pullsIn(world, query, query.get("head")?.split(":")[1]), query).map(show.pull)];
    case "GET /repos/{owner}/{repo}/issues/{issue_number}": {
      const one = world.pulls.find(({ number }) => String(number) === values.issue_number);
      return one && [200, { ...show.issue(one), closed_by: one.closedBy ? { ...one.closedBy } : null }];
    }
    case "GET /repos/{owner}/{repo}/activity": {
      const own = world.pulls.filter(({ head }) => query.get("ref") === `refs/heads/${head}`);
      const shown = pushesOf(world, ...own).map(({ commit: after, by = world.me }, id, { length }) => ({
        ...{ id, after, before: noCommit, ref: query.get("ref") ?? "", actor: { ...by } },
        activity_type: id === length - 1 ? "branch_creation" : "push",
      }));
      return [200, shown];
    }
    case "GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls":
      return [200, world.pulls.filter(isOf(values.commit_sha)).map(show.pull)];
    case "GET /repos/{owner}/{repo}/commits/{ref}/statuses":
      return [200, page(statusesOf(world, values.ref), query).map(show.status)];
  }
  return likeGitHub(call, show, { number: "pull_number", person: "username", taken: 422, updated: 200 });
}

function gitea(call: Call): Answer {
  const { world, operation, values, query, webUrl } = call;
  const show = showAsGitHub(webUrl, true, (person) => world.writers.some(({ id }) => id === person.id));
  switch (operation) {
    case "GET /repos/{owner}/{repo}/collaborators/{collaborator}/permission":
      if (world.me.id === -2) return [403, { message: "Only admins can query all permissions" }];
      break;
    case "GET /repos/{owner}/{repo}/teams":
      if (!world.teams) return [405, { message: "repo is not owned by an organization" }];
      return [200, world.teams.map((code, id) => ({ id, name: "team", units_map: { "repo.code": code } }))];
    case "GET /repos/{owner}/{repo}/assignees":
      return [200, world.writers.map((person) => ({ ...person }))];
    case "GET /repos/{owner}/{repo}/pulls":
      return [200, page(pullsIn(world, query), query).map(show.pull)];
    case "GET /repos/{owner}/{repo}/issues/{index}/timeline": {
      const pull = world.pulls.find(({ number }) => String(number) === values.index);
      const closing = pull?.closedBy ? [{ id: 2, type: "close", user: { ...pull.closedBy } }] : [];
      const pushed = pushesOf(world, pull).toReversed();
      const shown = pushed.map(({ commit, by = me }, id) => {
        const body = JSON.stringify({ is_force_push: false, commit_ids: [commit] });
        return { id, type: "pull_push", user: { ...by }, body };
      });
      return [200, page([...shown, ...closing], query)];
    }
    case "GET /repos/{owner}/{repo}/commits/{sha}/pull": {
      const found = world.pulls.find(({ merged }) => merged === values.sha);
      return found && [200, show.pull(found)];
    }
    case "GET /repos/{owner}/{repo}/statuses/{sha}":
      // Whatever the name of the order promises.
      return [200, page(statusesOf(world, values.sha).toReversed(), query).map(show.status)];
  }
  return likeGitHub(call, show, { number: "index", person: "collaborator", taken: 409, updated: 201 });
}

/** What GitHub and Gitea have in common, but for the names of what is in a path, and for some statuses. */
function likeGitHub(
  call: Call,
  show: ReturnType<typeof showAsGitHub>,
  names: { number: string; person: string; taken: number; updated: number },
): Answer {
  const { world, operation, values, query, body } = call;
  const pull = world.pulls.find(({ number }) => String(number) === values[names.number]);
  const [method, where = ""] = operation.split(" ");
  const pulls = "/repos/{owner}/{repo}/pulls";
  switch (where.replace(`{${names.number}}`, "{number}")) {
    case "/user":
      return [200, { ...world.me }];
    case `/repos/{owner}/{repo}/collaborators/{${names.person}}/permission`: {
      const login = values[names.person] ?? "";
      const permission = world.writers.some((one) => one.login === login) ? "write" : "read";
      // As on the hosts, everybody is somebody.
      return [200, { permission, role_name: permission, user: { id: 1, login } }];
    }
    case pulls:
      return createPull(world, body, show.pull, names.taken);
    case `${pulls}/{number}`:
      if (method === "GET") return pull && [200, show.pull(pull)];
      return pull && [names.updated, show.pull(closeOr(pull, body, world.me))];
    case `${pulls}/{number}/reviews`:
      return [200, page(reviewsOf(call).map(show.review), query)];
    case `${pulls}/{number}/commits`:
      return (
        pull && [200, page(commitsOf(pull), query).map((sha) => show.commit(sha, world.committers[sha]))]
      );
  }
  return names.number === "index"
    ? issuesAndComments(call, "index", "id", show)
    : issuesAndComments(call, "issue_number", "comment_id", show);
}

function issuesAndComments(
  { world, operation, values, query, body }: Call,
  number: string,
  id: string,
  show: ReturnType<typeof showAsGitHub>,
): Answer {
  const [method, where = ""] = operation.split(" ");
  const issues = "/repos/{owner}/{repo}/issues";
  const comment = world.comments.find((one) => String(one.id) === values[id]);
  const pull = Number(values[number]);
  if (where === `${issues}/{${number}}/comments`) {
    if (method === "POST") return [201, show.comment(create(world.comments, world.me, pull, body))];
    const all = world.comments.filter((one) => one.pull === pull);
    return [200, (query.has("page") ? page(all, query) : all).map(show.comment)];
  }
  if (where === `${issues}/comments/{${id}}`) {
    if (!comment) return undefined;
    if (method === "PATCH") return [200, show.comment(Object.assign(comment, body))];
    world.comments = world.comments.filter((one) => one !== comment);
    return [204, null];
  }
  const { state, description = "", context = "default", target_url: url = "" } = body;
  const by = number === "index" && world.me.id === -2 ? { by: null } : {};
  world.statuses.push({ commit: values.sha, context, state, description, url, ...by } as StoredStatus);
  const shown: JsonObject = number === "index" ? { context } : { state: state ?? "", description, context };
  return [201, shown];
}

function gitlab(call: Call): Answer {
  const { world, operation, values, query, body, webUrl } = call;
  if (values.id !== undefined && values.id !== "team/avatars") return undefined;
  const person = ({ id, login }: Person) => ({ id, username: login });
  const showNote = ({ id, body, by }: StoredText) => ({ id, body, system: false, author: person(by) });
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
    ...{ author: person(pull.author ?? guest) },
    closed_by: pull.closedBy ? person(pull.closedBy) : null,
  });
  const showStatus = ({ commit, context, state, description, by = world.me }: StoredStatus, at: number) => ({
    ...{ id: at, sha: commit, status: state, name: context, description, author: by && person(by) },
  });
  const renamed = ({ description, source_branch: head, target_branch: base, ...rest }: JsonObject) => ({
    ...rest,
    ...(description === undefined ? {} : { body: description }),
    ...(head === undefined ? {} : { head, base }),
  });
  const iid = values.merge_request_iid ?? values.noteable_id;
  const pull = world.pulls.find(({ number }) => String(number) === iid);
  const note = world.comments.find((one) => String(one.id) === values.note_id);
  const [method, where = ""] = operation.split(" ");
  switch (where.replace("/projects/{id}", "")) {
    case "/user":
      return [200, person(world.me)];
    case "/members/all/{user_id}": {
      const writer = world.writers.find((one) => String(one.id) === values.user_id);
      return writer && [200, { ...person(writer), access_level: writer === guest ? 20 : 30 }];
    }
    case "/merge_requests":
      if (method === "POST") return createPull(world, renamed(body), showPull, 409);
      return [200, page(pullsIn(world, query, query.get("source_branch") ?? undefined), query).map(showPull)];
    case "/merge_requests/{merge_request_iid}":
      return pull && [200, showPull(closeOr(pull, method === "PUT" ? renamed(body) : {}, world.me))];
    case "/merge_requests/{merge_request_iid}/approvals": {
      const given = reviewsOf(call).filter(({ state }) => state === undefined || state === "approved");
      const show = ({ by, at }: StoredReview) => ({ user: person(by), ...(at ? { approved_at: at } : {}) });
      return [200, { approved: given.length > 0, approved_by: given.map(show) }];
    }
    case "/merge_requests/{merge_request_iid}/versions": {
      const show = ({ commit, at }: Pushed) => ({ id: 1, head_commit_sha: commit, created_at: at });
      return [200, page(pushesOf(world, pull).map(show), query)];
    }
    case "/events": {
      const all = world.pulls.flatMap((one) =>
        pushesOf(world, one).map(({ commit, by = world.me }, at, { length }) => {
          const action = at === length - 1 ? "created" : "pushed";
          return { author: person(by), push_data: { ref: one.head, action, commit_to: commit } };
        }),
      );
      return [200, page(all, query)];
    }
    case "/approvals": {
      const { resetsApprovals } = world;
      return resetsApprovals === undefined ? undefined : [200, { reset_approvals_on_push: resetsApprovals }];
    }
    case "/merge_requests/{noteable_id}/notes": {
      if (method === "POST") return [201, showNote(create(world.comments, world.me, Number(iid), body))];
      const system = { id: 1, body: "assigned to somebody", system: true, author: person(guest) };
      const all = world.comments.filter((one) => one.pull === Number(iid)).map(showNote);
      return [200, page([system, ...all], query)];
    }
    case "/merge_requests/{noteable_id}/notes/{note_id}":
      if (!note) return undefined;
      if (method === "PUT") return [200, showNote(Object.assign(note, body))];
      world.comments = world.comments.filter((one) => one !== note);
      return [204, null];
    case "/repository/commits/{sha}/merge_requests":
      return [200, page(world.pulls.filter(isOf(values.sha)), query).map(showPull)];
    case "/repository/commits/{sha}/statuses":
      return [200, page(statusesOf(world, values.sha).toReversed().map(showStatus), query)];
    case "/statuses/{sha}": {
      const { state, description = "", name: context = "default", target_url: url = "" } = body;
      world.statuses.push({ commit: values.sha, context, state, description, url } as StoredStatus);
      return [201, showStatus(world.statuses.at(-1) as StoredStatus, world.statuses.length)];
    }
  }
  return undefined;
}

function showAsGitHub(webUrl: string, isGitea: boolean, isWriter: (person: Person) => boolean = () => false) {
  const page = `${webUrl}/team/avatars`;
  const side = (ref: string, sha: string, id: number, label = ref) => ({
    ...{ ref, sha, label },
    ...(isGitea ? { repo_id: id } : { repo: { id } }),
  });
  return {
    pull: ({ number, title, body, open, merged, head, commit, base, ...pull }: StoredPull) => ({
      ...{ number, title, body, state: open ? "open" : "closed", html_url: `${page}/pull/${number}` },
      merged: merged !== undefined,
      merge_commit_sha: merged ?? (isGitea ? null : (pull.testMerge ?? null)),
      ...(isGitea ? {} : { merged_at: merged ? "2026-01-01T00:00:00Z" : null }),
      user: { ...(pull.author ?? guest) },
      head: pull.isPushedForReview
        ? side(`refs/pull/${number}/head`, commit, 1, "")
        : side(head, commit, pull.fromFork ? 2 : 1),
      base: side(base, pull.baseCommit ?? noCommit, 1),
    }),
    review: ({ by, commit, state = "approved", isOfApp }: StoredReview, at: number) => {
      const name = { approved: "APPROVED", commented: "COMMENTED", changes: "CHANGES_REQUESTED" };
      const asked = { commented: "COMMENT", changes: "REQUEST_CHANGES" };
      const ofGitea = { ...asked, approved: "APPROVED", dismissed: "APPROVED" };
      const user = { ...by, ...(isOfApp ? { type: "Bot" } : {}) };
      return isGitea
        ? {
            ...{ id: at + 1, user, commit_id: commit, state: ofGitea[state], official: isWriter(by) },
            dismissed: state === "dismissed",
          }
        : { id: at + 1, user, commit_id: commit, state: state === "dismissed" ? "DISMISSED" : name[state] };
    },
    commit: (sha: string, by: Person | undefined) => ({
      sha,
      author: by ? { ...by } : null,
      committer: by ? { ...by } : null,
    }),
    comment: ({ id, body, by, pull }: StoredText) => ({
      ...{ id, body, html_url: `${page}/pull/${pull}#issuecomment-${id}`, user: { ...by } },
    }),
    status: ({ context, state, description, by = me }: StoredStatus, at: number) => ({
      ...{ context, description, creator: by && { ...by } },
      ...(isGitea ? { status: state, id: at } : { state }),
    }),
    /** Pull requests are issues, too. */
    issue: ({ number, title, body, open, author = guest }: StoredPull) => ({
      ...{ number, title, body, state: open ? "open" : "closed" },
      ...{ html_url: `${page}/issues/${number}`, user: { ...author } },
    }),
  };
}

function commitsOf({ commit, earlier = [] }: StoredPull): string[] {
  return [...earlier, commit];
}

function pushesOf({ pushes }: World, ...pulls: readonly (StoredPull | undefined)[]): readonly Pushed[] {
  return pushes ?? pulls.map((pull) => ({ commit: pull?.commit ?? "", at: "2026-01-01T00:00:00.000Z" }));
}

/** GitHub and GitLab also list what was closed, or is open, for a commit of its branch. */
function isOf(sha: string | undefined) {
  return ({ merged, commit }: StoredPull) => merged === sha || commit === sha;
}

function reviewsOf({ world, values }: Call): readonly StoredReview[] {
  const number = values.pull_number ?? values.index ?? values.merge_request_iid;
  return world.reviews.filter(({ pull }) => pull === undefined || String(pull) === number);
}

/** Newest first. */
function statusesOf({ statuses }: World, commit: string | undefined): StoredStatus[] {
  return statuses.filter((one) => one.commit === commit).reverse();
}

/** Those in the state that is asked for. */
function pullsIn({ pulls }: World, query: URLSearchParams, head?: string): StoredPull[] {
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

function create(texts: StoredText[], by: Person, pull: number, body: JsonObject): StoredText {
  lastId += 1;
  const made = { id: lastId, by, pull, ...body } as StoredText;
  texts.push(made);
  return made;
}

/** Somebody's comment, as if it had been written on the page. */
export function write(world: World, by: Person, body: string, pull = 7): StoredText {
  return create(world.comments, by, pull, { body });
}

function closeOr(
  pull: StoredPull,
  { state, state_event: event, ...rest }: JsonObject,
  closedBy: Person,
): StoredPull {
  const isClosed = state === "closed" || event === "close";
  return Object.assign(pull, rest, isClosed ? { open: false, closedBy } : {});
}

function page<Entry>(all: readonly Entry[], query: URLSearchParams): Entry[] {
  const size = Number(query.get("per_page") ?? query.get("limit") ?? 30);
  const start = (Number(query.get("page") ?? 1) - 1) * size;
  return all.slice(start, start + size);
}
