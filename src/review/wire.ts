import { type HttpAnswer, HttpError, openHttpClient, type ProxyOptions } from "../http/index.js";
import { plainLine } from "../text/index.js";
import { HostError, type HostErrorFacts } from "./errors.js";

/** How to reach a host, and as whom. */
export interface WireOptions {
  /** The address of the API; requests go nowhere else. */
  readonly apiUrl: string;
  readonly token: Token;
  /** What a token needs that lacks a permission; a sentence. */
  readonly permissions: string;
  readonly proxy?: ProxyOptions | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Of one request and its answer. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
}

/** A token, and the environment variable that it came from, for messages. */
export interface Token {
  readonly variable: string;
  reveal(): string;
}

/** What the client libraries pass to `fetch`. */
export interface WireRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | null | undefined;
}

export interface Wire {
  /**
   * Sends one request once, in place of `fetch`: the client libraries would follow redirects with the token, read
   * answers of any length and, some of them, repeat a create. Answers only with a success.
   *
   * @throws HostError for everything else, its message without what was to be done.
   */
  send(url: string, request: WireRequest): Promise<Response>;
  close(): Promise<void>;
}

export function openWire(options: WireOptions): Wire {
  const { origin } = new URL(options.apiUrl);
  const { proxy, timeoutMs = 30_000 } = options;
  const client = openHttpClient({ proxy, timeoutMs, maxAnswerBytes: 20_000_000 });
  return {
    async send(url, { method = "GET", headers, body }) {
      const { host, origin: target } = new URL(url);
      if (target !== origin) throw new Error("Bug: a request to another address than the host's");
      if (options.signal?.aborted) throw cancelled();
      // A running write is finished, so that its outcome is known.
      const signal = method === "GET" ? options.signal : undefined;
      const answer = await client.send(url, { method, headers, body, signal }).catch((error: unknown) => {
        throw error instanceof HttpError ? connectionError(error, host) : error;
      });
      return responseOf(answer, options);
    },
    close: client.close,
  };
}

function responseOf(answer: HttpAnswer, options: WireOptions): Response {
  if (answer.status < 200 || answer.status >= 300) throw refusal(answer, options);
  if (answer.text !== "" && !isJson(answer.text))
    throw new HostError(
      "the answer is not JSON: a proxy or a sign-in page may have answered in place of the host. Check the address.",
      { code: "host-wrong-answer", outcome: "unknown", status: answer.status },
    );
  return new Response(answer.text === "" ? null : answer.text, answer);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function cancelled(): HostError {
  return new HostError("cancelled.", { code: "cancelled", outcome: "not-sent" });
}

function connectionError(error: HttpError, host: string): HostError {
  const { code, message, mayBeSent } = error;
  if (code === "aborted") return cancelled();
  const outcome = mayBeSent ? "unknown" : "not-sent";
  if (code === "too-long") return new HostError(`${message}.`, { code: "host-wrong-answer", outcome });
  if (code === "timeout")
    return new HostError(`${host} gave ${message}.`, { code: "host-timeout", outcome, cause: error });
  const what = mayBeSent ? "the connection broke" : "no connection";
  return new HostError(
    `${what} (${host}: ${message}). Check the address of the host, the network and the proxy.`,
    { code: "host-unreachable", outcome, cause: error },
  );
}

function refusal({ status, text, headers }: HttpAnswer, { token, permissions }: WireOptions): HostError {
  const hostMessage = wordsIn(text);
  const said = `(${[status, hostMessage].filter(Boolean).join(": ")})`;
  const facts = { status, hostMessage, outcome: "refused" } as const;
  const error = (message: string, more: Pick<HostErrorFacts, "code"> & Partial<HostErrorFacts>) =>
    new HostError(message, { ...facts, ...more });
  const wait = waitOf(status, headers, hostMessage);
  if (wait !== undefined && status !== 503) {
    const seconds = Math.ceil(wait / 1000);
    return error(`the host limits requests ${said}: try again in ${seconds} s.`, {
      code: "host-rate-limited",
      outcome: "not-sent",
      retryAfterMs: wait,
    });
  }
  if (status >= 500)
    return error(`the host is not available ${said}: try again later.`, {
      code: "host-unavailable",
      outcome: wait === undefined ? "unknown" : "not-sent",
      retryAfterMs: wait,
    });
  if (status === 401)
    return error(
      `the host does not accept the token in ${token.variable} ${said}: it may be wrong, expired or revoked.`,
      { code: "host-unauthorized" },
    );
  if (status === 403)
    return error(`the token in ${token.variable} may not do this ${said}. ${permissions}`, {
      code: "host-forbidden",
    });
  if (status === 404 || status === 410)
    return error(
      `not found ${said}: check the repository and the number, and that the token in ${token.variable} may read it.`,
      { code: "host-not-found" },
    );
  if (status >= 300 && status < 400)
    return error(
      `the host answers with another address (${status}): check the address and the name of the repository.`,
      {
        code: "host-redirected",
      },
    );
  return error(`the host refused it ${said}.`, { code: "host-refused" });
}

/** `message` or `error` of the answer: hosts put a text, a list, or lists by field there. */
function wordsIn(text: string): string | undefined {
  if (!isJson(text)) return undefined;
  const { message, error, errors } = (JSON.parse(text) ?? {}) as Record<string, unknown>;
  const words = [message ?? error, errors].filter((part) => part !== undefined && part !== null);
  const line = plainLine(
    words.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" "),
  );
  return line === "" ? undefined : line;
}

/**
 * How long a limit asks us to wait; undefined if the answer is about something else. GitHub limits with 403 too, and
 * asks to wait a minute where it says nothing.
 */
function waitOf(
  status: number,
  headers: Readonly<Record<string, string>>,
  words: string | undefined,
): number | undefined {
  const seconds = Number(headers["retry-after"] ?? Number.NaN);
  if (status === 503) return seconds >= 0 ? seconds * 1000 : undefined;
  if (status !== 429 && status !== 403) return undefined;
  if (seconds >= 0) return seconds * 1000;
  const remaining = headers["x-ratelimit-remaining"] ?? headers["ratelimit-remaining"];
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"] ?? Number.NaN);
  const served = Date.parse(headers.date ?? "");
  if (remaining === "0" && reset > 0 && served > 0) return Math.max(1000, reset * 1000 - served);
  return status === 429 || /rate limit/i.test(words ?? "") ? 60_000 : undefined;
}
