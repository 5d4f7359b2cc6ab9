import * as z from "zod";
import { HttpError, openHttpClient } from "../../base/http/index.js";
import { calculateBackoffMs, retry } from "../../base/retry/index.js";
import { nodeSystem } from "../../base/system/index.js";
import { describeFirstIssue, parseJson } from "../../base/text/index.js";
import { HostError, toHostError } from "./errors.js";
import type { Author, HostOptions } from "./host.js";

export interface HostApiOptions extends HostOptions {
  /** Name in messages, such as "GitHub". */
  readonly title: string;
  /** Headers sent with each request, including the token. */
  readonly headers: Readonly<Record<string, string>>;
  /** Explanation of the permissions that a token needs, in sentences. */
  readonly permissions: string;
  /** Path to the repository, relative to the API URL. */
  readonly root: `/${string}`;
  /**
   * Pagination, with the query parameter for the page size. A page with fewer than `minEntries` entries is the last
   * one.
   */
  readonly pages: { readonly parameter: string; readonly size: number; readonly minEntries: number };
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * Client for a host's API. Retries idempotent requests while the host is unavailable, and others only if the host did
 * not process them.
 *
 * - `action`: continues "Cannot …" in errors, such as "comment on pull request 7".
 * - `path`: encoded path, relative to the repository unless it starts with "/".
 * - `shape`: the part of the response that is used.
 *
 * @throws {@link HostError}
 */
export interface HostApi {
  get<Shape>(action: string, path: string, shape: z.ZodType<Shape>, query?: Query): Promise<Shape>;
  /** Reads a list page by page. `isEnd` decides whether a short page ends it, by the number of short pages so far. */
  list<Entry>(
    action: string,
    path: string,
    entries: z.ZodType<Entry[]>,
    query?: Query,
    isEnd?: (shortPages: number) => boolean,
  ): AsyncGenerator<Entry>;
  /** Sends a write. `isIdempotent` defaults to true except for POST. */
  write<Shape>(
    action: string,
    request: `${"POST" | "PATCH" | "PUT"} ${string}`,
    body: object,
    shape: z.ZodType<Shape>,
    options?: { readonly isIdempotent: boolean },
  ): Promise<Shape>;
  /** Sends a write like `write`, but ignores the response. */
  send(
    action: string,
    request: `${"POST" | "PATCH" | "PUT"} ${string}`,
    body: object,
    options?: { readonly isIdempotent: boolean },
  ): Promise<void>;
  /** Deletes the object at a path if it still exists. */
  remove(action: string, path: string): Promise<void>;
  close(): Promise<void>;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: object;
}

const maxAttempts = 4;
/** Maximum wait requested by a host. The request fails at once if the host requests a longer one. */
const maxWaitMs = 60_000;
/** Maximum number of pages, because a host that ignores the page number would return an endless list. */
const maxPages = 1000;

export function openHostApi(options: HostApiOptions): HostApi {
  const { title, apiUrl, root, headers, userAgent, pages, signal, proxy, timeoutMs = 30_000 } = options;
  const client = openHttpClient({ proxy, timeoutMs, maxResponseBytes: 20_000_000 });

  /** Sends a request once. Returns the parsed body of a successful response. */
  async function sendOnce({ method, path, query = {}, body }: Request): Promise<unknown> {
    if (signal?.aborted) throw createCancelledError();
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
      // Lets a running write complete, so that its outcome is known.
      signal: method === "GET" ? signal : undefined,
    };
    const response = await client.send(url, request).catch((error: unknown) => {
      throw error instanceof HttpError ? toConnectionError(error, url.host) : error;
    });
    if (response.status < 200 || response.status >= 300) throw toHostError(response, options);
    const { status, text } = response;
    const value = parseJson(text);
    if (value !== undefined || text === "") return value;
    throw new HostError(
      "the response is not JSON, so it may come from a proxy or a sign-in page. Check the host's URL.",
      { code: "host-unreachable", outcome: "unknown", status },
    );
  }

  function sendWithRetry<Shape>(
    action: string,
    request: Request,
    shape: z.ZodType<Shape>,
    isIdempotent: boolean,
  ): Promise<Shape> {
    const toError = (error: HostError) =>
      new HostError(`Cannot ${action} on ${title}: ${error.message}`, error as HostError & { cause?: Error });
    return retry(
      async () => parseResponse(shape, await sendOnce(request)),
      async (error, attempts) => {
        if (!(error instanceof HostError)) throw error;
        const waitMs =
          error.retryAfterMs ?? calculateBackoffMs(options.backoffMs ?? 700, attempts, nodeSystem.random);
        const isLastAttempt = attempts === maxAttempts || waitMs > maxWaitMs;
        if (isLastAttempt || !isRetryable(error, isIdempotent)) throw toError(error);
        await nodeSystem.sleep(waitMs, signal);
        if (signal?.aborted) throw toError(createCancelledError());
      },
    );
  }

  const write: HostApi["write"] = (action, request, body, shape, options) => {
    const [method = "", path = ""] = request.split(" ");
    return sendWithRetry(action, { method, path, body }, shape, options?.isIdempotent ?? method !== "POST");
  };
  return {
    get: (action, path, shape, query) => sendWithRetry(action, { method: "GET", path, query }, shape, true),
    async *list(action, path, entries, query, isEnd = () => true) {
      let shortPages = 0;
      for (let page = 1; page <= maxPages; page += 1) {
        const pageQuery = { ...query, [pages.parameter]: pages.size, page };
        const found = await sendWithRetry(action, { method: "GET", path, query: pageQuery }, entries, true);
        yield* found;
        if (found.length >= pages.minEntries) continue;
        shortPages += 1;
        if (isEnd(shortPages)) return;
      }
      throw new HostError(
        `Cannot ${action} on ${title}: the list has more than ${maxPages} pages, or the host ignores the page number.`,
        { code: "host-unreachable", outcome: "unknown" },
      );
    },
    write,
    async send(action, request, body, options) {
      await write(action, request, body, z.unknown(), options);
    },
    async remove(action, path) {
      await recoverNotFound(undefined, sendWithRetry(action, { method: "DELETE", path }, z.unknown(), true));
    },
    close: client.close,
  };
}

/** Returns the result of a request, or the fallback if the host responds "not found". */
export async function recoverNotFound<Result, Fallback>(
  fallback: Fallback,
  request: Promise<Result>,
): Promise<Result | Fallback> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof HostError && error.code === "host-not-found") return fallback;
    throw error;
  }
}

interface Push {
  /** User who pushed. Omitted if the user no longer exists. */
  readonly by: Author | undefined;
  /** Branch head after the push. */
  readonly commit: string | undefined;
  readonly createsBranch: boolean;
}

/**
 * Collects everyone who pushed to a branch, from its creation until `head`. Expects the newest push first. Returns
 * undefined if a push or its author is missing.
 */
export async function collectPushers(
  head: string,
  pushes: AsyncIterable<Push> | Iterable<Push>,
): Promise<readonly Author[] | undefined> {
  const found: Author[] = [];
  for await (const { by, commit, createsBranch } of pushes) {
    if (found.length === 0 && commit !== head) continue;
    if (!by) return undefined;
    found.push(by);
    if (createsBranch) return found;
  }
  return undefined;
}

/** Collects the entries of a list, up to an optional limit. */
export async function takeFirst<Entry>(
  list: AsyncIterable<Entry>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of list) if (entries.push(entry) >= limit) break;
  return entries;
}

/** Parses a host's timestamp to milliseconds. Returns undefined if it is absent or invalid. */
export function parseTime(time: string | null | undefined): number | undefined {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

/** Reads a whole list and sorts it by descending id, because some hosts cannot sort. */
export async function collectNewestFirst<Entry extends { readonly id: number }>(
  list: AsyncIterable<Entry>,
): Promise<Entry[]> {
  return (await takeFirst(list)).toSorted((one, other) => other.id - one.id);
}

function isRetryable({ code, outcome }: HostError, isIdempotent: boolean): boolean {
  return code === "host-unreachable" && (isIdempotent || outcome === "not-sent");
}

/** @throws HostError that names the first wrong field. */
function parseResponse<Shape>(shape: z.ZodType<Shape>, response: unknown): Shape {
  const parsed = shape.safeParse(response, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new HostError(
    `the response does not match the documented API: ${describeFirstIssue(parsed.error)}. Check the host's URL and version.`,
    { code: "host-unreachable", outcome: "unknown" },
  );
}

function createCancelledError(): HostError {
  return new HostError("cancelled.", { code: "cancelled", outcome: "not-sent" });
}

function toConnectionError(error: HttpError, host: string): HostError {
  const { code, message, mayBeSent } = error;
  if (code === "aborted") return createCancelledError();
  return new HostError(
    `no complete response from ${host} (${message}). Check the host's URL, the network and the proxy.`,
    { code: "host-unreachable", outcome: mayBeSent ? "unknown" : "not-sent", cause: error },
  );
}
