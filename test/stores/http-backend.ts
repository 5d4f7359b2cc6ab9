import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { promisify } from "node:util";
import { listen } from "../listening.js";

/**
 * Server for Terraform's http backend, either as documented (LOCK and UNLOCK at the state address) or like
 * GitLab. GitLab locks at a separate address, rejects a repeated serial, checks a lock ID only if the write
 * has one, and hides most details of a conflicting lock. See its `lib/api/terraform/state.rb` and
 * `app/services/terraform/remote_state_handler.rb`.
 */
export interface HttpBackend {
  readonly port: number;
  /** Stored states by name. */
  readonly states: Map<string, StoredState>;
  /** Requests since the start, such as `POST /state/a?ID=…`. */
  readonly requests: readonly string[];
  /** Overrides the response, for example with an error. If it returns undefined, the server responds itself. */
  answer: ((request: IncomingMessage) => Answer | undefined | Promise<undefined>) | undefined;
  /** Returns the number of open connections. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

export interface StoredState {
  text?: string;
  lock?: Readonly<Record<string, unknown>>;
  /** Serials of all state versions stored so far. */
  readonly serials: Set<number>;
}

export interface Answer {
  readonly status: number;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const credentials = { TF_HTTP_USERNAME: "ci", TF_HTTP_PASSWORD: "correct-horse" };

/** State path on a GitLab server. */
export const gitlabPath = "/api/v4/projects/1/terraform/state";

export async function startHttpBackend(flavor: "terraform" | "gitlab"): Promise<HttpBackend> {
  const states = new Map<string, StoredState>();
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const body = await readText(request);
    const answer =
      (await backend.answer?.(request)) ??
      findRejection(request, body) ??
      handle(flavor, states, request, body);
    send(response, answer);
  });
  // Longer than a test. Clients receive this timeout and may reuse a connection until it expires.
  server.keepAliveTimeout = 600_000;
  const backend: HttpBackend = {
    ...(await listen(server)),
    states,
    requests,
    answer: undefined,
    connections: () => promisify(server.getConnections.bind(server))(),
  };
  return backend;
}

function findRejection({ headers }: IncomingMessage, body: string): Answer | undefined {
  const { TF_HTTP_USERNAME: name, TF_HTTP_PASSWORD: password } = credentials;
  const expected = `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
  if (headers.authorization !== expected) return { status: 401, text: '{"message":"401 Unauthorized"}' };
  const sum = headers["content-md5"];
  if (body !== "" && sum !== undefined && sum !== createHash("md5").update(body).digest("base64")) {
    return { status: 400, text: "Content-MD5 does not match" };
  }
  return undefined;
}

function handle(
  flavor: "terraform" | "gitlab",
  states: Map<string, StoredState>,
  { method, url = "" }: IncomingMessage,
  body: string,
): Answer {
  const { pathname, searchParams } = new URL(url, "http://server");
  const isLock = flavor === "gitlab" && pathname.endsWith("/lock");
  const name = isLock ? pathname.slice(0, -"/lock".length) : pathname;
  const state = states.get(name) ?? { serials: new Set() };
  const verb = isLock ? { POST: "LOCK", DELETE: "UNLOCK" }[method ?? ""] : method;
  if (verb === "GET") {
    if (state.text !== undefined) return { status: 200, text: state.text };
    return states.has(name) ? { status: 204 } : { status: 404, text: '{"message":"404 Not found"}' };
  }
  states.set(name, state);
  if (verb === "LOCK") return lock(flavor, state, JSON.parse(body));
  if (verb === "UNLOCK") return unlock(flavor, state, body);
  if (verb === "POST") return write(flavor, state, body, searchParams.get("ID"));
  return { status: 405, text: "Method Not Allowed" };
}

function lock(flavor: string, state: StoredState, info: Readonly<Record<string, unknown>>): Answer {
  const missing = ["ID", "Operation", "Info", "Who", "Version", "Created", "Path"].filter(
    (name) => !(name in info),
  );
  if (missing.length > 0) return { status: 400, text: JSON.stringify({ error: `${missing[0]} is missing` }) };
  if (flavor === "gitlab") {
    const isFree = state.lock === undefined;
    state.lock ??= { ID: info.ID, Who: "ci", Created: info.Created };
    return { status: isFree ? 200 : 409, text: JSON.stringify({ ...info, ...state.lock }) };
  }
  if (state.lock) return { status: 423, text: JSON.stringify(state.lock) };
  state.lock = info;
  return { status: 200 };
}

function unlock(flavor: string, state: StoredState, body: string): Answer {
  const id = body === "" ? undefined : JSON.parse(body).ID;
  if (id !== undefined && state.lock?.ID !== id) return { status: flavor === "gitlab" ? 409 : 423 };
  delete state.lock;
  return { status: 200 };
}

function write(flavor: string, state: StoredState, body: string, id: string | null): Answer {
  if (flavor === "gitlab") {
    if ((state.lock?.ID ?? null) !== id) return { status: 409, text: '{"message":"409 Conflict"}' };
    const { serial } = JSON.parse(body);
    if (!Number.isInteger(serial)) return { status: 422, text: '{"message":"No serial in payload"}' };
    if (state.serials.has(serial))
      return { status: 422, text: '{"message":"Version has already been taken"}' };
    state.serials.add(serial);
    // Does not replace the stored state, because GitLab returns the version with the highest serial.
    if (serial < Math.max(...state.serials)) return { status: 200 };
  } else if (state.lock && state.lock.ID !== id) {
    return { status: 423, text: JSON.stringify(state.lock) };
  }
  state.text = body;
  return { status: 200 };
}

function send(response: ServerResponse, { status, text = "", headers = {} }: Answer): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(text);
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
