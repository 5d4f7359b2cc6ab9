import * as z from "zod";
import { HttpError, openHttpClient } from "../../base/http/index.js";
import { calculateBackoffMs, retry } from "../../base/retry/index.js";
import { nodeSystem } from "../../base/system/index.js";
import { describeIssue, parseJson } from "../../base/text/index.js";
import { HostError, refusal } from "./errors.js";
import type { Author, HostOptions } from "./host.js";

/** The JSON API of one host. */
export interface HostApiOptions extends HostOptions {
  /** For messages: "GitHub". */
  readonly title: string;
  /** Those with the token, and what else a host wants. */
  readonly headers: Readonly<Record<string, string>>;
  /** What a token needs that lacks a permission; a sentence. */
  readonly permissions: string;
  /** The path of the repository below the address of the API. */
  readonly root: `/${string}`;
  /** How a page of a list is asked for. A list ends with a page that has fewer entries than `leastEntries`. */
  readonly pages: { readonly parameter: string; readonly size: number; readonly leastEntries: number };
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * Requests to a host, of which those that are repeatable are sent again if it cannot take them just now, and others only
 * if it did not process them. Redirects are not followed: the token is only sent to the host's own address. Paths are
 * encoded, and below that of the repository unless they begin with "/".
 *
 * `what` is done, to follow "Cannot": "comment on pull request 7". `shape` is the part of the response that we use. Errors
 * are {@link HostError}s that say what could not be done.
 */
export interface HostApi {
  get<Shape>(what: string, path: string, shape: z.ZodType<Shape>, query?: Query): Promise<Shape>;
  /** All entries of a list, read page by page. */
  list<Entry>(what: string, path: string, entries: z.ZodType<Entry[]>, query?: Query): AsyncGenerator<Entry>;
  /** `isRepeatable`: doing it twice is the same as doing it once. Default: all but POST. */
  write<Shape>(
    what: string,
    request: `${"POST" | "PATCH" | "PUT"} ${string}`,
    body: object,
    shape: z.ZodType<Shape>,
    options?: { readonly isRepeatable: boolean },
  ): Promise<Shape>;
  /** The same where nothing of the response is used. */
  send(
    what: string,
    request: `${"POST" | "PATCH" | "PUT"} ${string}`,
    body: object,
    options?: { readonly isRepeatable: boolean },
  ): Promise<void>;
  /** Does nothing if it is gone. */
  remove(what: string, path: string): Promise<void>;
  close(): Promise<void>;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: object;
}

const mostAttempts = 4;
/** The longest wait that a host may ask for. */
const patienceMs = 60_000;
/** A host that ignores the number of the page would answer for ever. */
const mostPages = 1000;

export function openHostApi(options: HostApiOptions): HostApi {
  const { title, apiUrl, root, headers, userAgent, pages, signal, proxy, timeoutMs = 30_000 } = options;
  const client = openHttpClient({ proxy, timeoutMs, maxResponseBytes: 20_000_000 });

  /** Sends a request once. Answers with what a success says. */
  async function send({ method, path, query = {}, body }: Request): Promise<unknown> {
    if (signal?.aborted) throw cancelled();
    const url = new URL(path.startsWith("/") ? `${apiUrl}${path}` : `${apiUrl}${root}/${path}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const request = {
      method,
      headers: {
        accept: "application/json",
        "user-agent": userAgent,
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      body: body && JSON.stringify(body),
      // A running write is finished, so that its outcome is known.
      signal: method === "GET" ? signal : undefined,
    };
    const response = await client.send(url, request).catch((error: unknown) => {
      throw error instanceof HttpError ? connectionError(error, url.host) : error;
    });
    if (response.status < 200 || response.status >= 300) throw refusal(response, options);
    const { status, text } = response;
    const value = parseJson(text);
    if (value !== undefined || text === "") return value;
    throw new HostError(
      "the answer is not JSON: a proxy or a sign-in page may have answered in place of the host. Check the address.",
      { code: "host-unreachable", outcome: "unknown", status },
    );
  }

  function ask<Shape>(
    what: string,
    request: Request,
    shape: z.ZodType<Shape>,
    isRepeatable: boolean,
  ): Promise<Shape> {
    const toError = (error: HostError) =>
      new HostError(`Cannot ${what} on ${title}: ${error.message}`, error as HostError & { cause?: Error });
    return retry(
      async () => check(shape, await send(request)),
      async (error, attempts) => {
        if (!(error instanceof HostError)) throw error;
        const waitMs =
          error.retryAfterMs ?? calculateBackoffMs(options.backoffMs ?? 700, attempts, nodeSystem.random);
        const isOver = attempts === mostAttempts || waitMs > patienceMs;
        if (isOver || !isPassing(error, isRepeatable)) throw toError(error);
        await nodeSystem.sleep(waitMs, signal);
        if (signal?.aborted) throw toError(cancelled());
      },
    );
  }

  const write: HostApi["write"] = (what, request, body, shape, options) => {
    const [method = "", path = ""] = request.split(" ");
    return ask(what, { method, path, body }, shape, options?.isRepeatable ?? method !== "POST");
  };
  return {
    get: (what, path, shape, query) => ask(what, { method: "GET", path, query }, shape, true),
    async *list(what, path, entries, query) {
      for (let page = 1; page <= mostPages; page += 1) {
        const all = { ...query, [pages.parameter]: pages.size, page };
        const read = await ask(what, { method: "GET", path, query: all }, entries, true);
        yield* read;
        if (read.length < pages.leastEntries) return;
      }
    },
    write,
    async send(what, request, body, options) {
      await write(what, request, body, z.unknown(), options);
    },
    async remove(what, path) {
      await orIfNotFound(undefined, ask(what, { method: "DELETE", path }, z.unknown(), true));
    },
    close: client.close,
  };
}

/** What is asked for, or `instead` if the host says that there is none. */
export async function orIfNotFound<Result, Instead>(
  instead: Instead,
  asked: Promise<Result>,
): Promise<Result | Instead> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof HostError && error.code === "host-not-found") return instead;
    throw error;
  }
}

/** A push to a branch. */
interface Push {
  /** Absent if the account is gone. */
  readonly by: Author | undefined;
  /** What the branch pointed to afterwards. */
  readonly commit: string | undefined;
  /** It made the branch. */
  readonly isFirst: boolean;
}

/** Who pushed to a branch from when it was made until it had this head, by its pushes, newest first; undefined if one of them is missing. */
export async function findPushers(
  head: string,
  pushes: AsyncIterable<Push> | Iterable<Push>,
): Promise<readonly Author[] | undefined> {
  const found: Author[] = [];
  for await (const { by, commit, isFirst } of pushes) {
    if (found.length === 0 && commit !== head) continue;
    if (!by) return undefined;
    found.push(by);
    if (isFirst) return found;
  }
  return undefined;
}

/** A time of a host in ms; undefined if there is none. */
export function parseTime(time: string | null | undefined): number | undefined {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

/** A whole list, in an order that not every host can be asked for. */
export async function newestFirst<Entry extends { readonly id: number }>(
  list: AsyncIterable<Entry>,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of list) entries.push(entry);
  return entries.toSorted((one, other) => other.id - one.id);
}

function isPassing({ code, outcome }: HostError, isRepeatable: boolean): boolean {
  return code === "host-unreachable" && (isRepeatable || outcome === "not-sent");
}

/** @throws HostError with the place of what is wrong. */
function check<Shape>(shape: z.ZodType<Shape>, response: unknown): Shape {
  const parsed = shape.safeParse(response, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.map(String).join(".") || "it";
  const problem = issue ? describeIssue(issue) : "is wrong";
  throw new HostError(`the answer has another shape than documented: ${at} ${problem}.`, {
    code: "host-unreachable",
    outcome: "unknown",
  });
}

function cancelled(): HostError {
  return new HostError("cancelled.", { code: "cancelled", outcome: "not-sent" });
}

function connectionError(error: HttpError, host: string): HostError {
  const { code, message, mayBeSent } = error;
  if (code === "aborted") return cancelled();
  return new HostError(
    `no complete answer (${host}: ${message}). Check the address of the host, the network and the proxy.`,
    { code: "host-unreachable", outcome: mayBeSent ? "unknown" : "not-sent", cause: error },
  );
}
