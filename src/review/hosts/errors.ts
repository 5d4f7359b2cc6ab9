import type { HttpResponse } from "../../base/http/index.js";
import { parseJson, toPlainLine } from "../../base/text/index.js";

export type HostErrorCode =
  | "host-unreachable" // no response, a response from another server, or a response that asks to retry later
  | "host-unauthorized" // 401
  | "host-forbidden" // 403: the token lacks a permission
  | "host-not-found" // 404 or 410, which hosts also send if the token lacks read access
  | "host-refused" // any other 3xx or 4xx (redirects are not followed, because the token must not reach another host)
  | "cancelled";

/**
 * Outcome of a failed write: not sent, rejected by the host, or possibly done. After `unknown`, check whether it was
 * done before retrying.
 */
export type HostOutcome = "not-sent" | "refused" | "unknown";

export interface HostErrorFacts {
  readonly code: HostErrorCode;
  readonly outcome: HostOutcome;
  readonly status?: number | undefined;
  /** Wait requested by the host. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: Error | undefined;
}

/**
 * Error from a code host or its connection. The message contains the next step, and no message, property or cause
 * contains the token.
 */
export class HostError extends Error {
  override readonly name = "HostError";
  declare readonly code: HostErrorCode;
  declare readonly outcome: HostOutcome;
  declare readonly status: number | undefined;
  declare readonly retryAfterMs: number | undefined;

  constructor(message: string, { cause, code, outcome, status, retryAfterMs }: HostErrorFacts) {
    super(message, cause && { cause });
    Object.assign(this, { code, outcome, status, retryAfterMs });
  }
}

/** Error for missing or invalid code host settings. The message explains which settings to change. */
export class HostSetupError extends Error {
  override readonly name = "HostSetupError";
  readonly code: "no-host" | "no-token" | "not-a-repository" | "not-a-host" | "event-file" | "review-key";

  constructor(code: HostSetupError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Converts an unsuccessful response to an error. */
export function toHostError(
  { status, text, headers }: HttpResponse,
  { token, permissions }: { readonly token: { readonly variable: string }; readonly permissions: string },
): HostError {
  const hostMessage = readMessage(text);
  const details = `(${[status, hostMessage].filter(Boolean).join(": ")})`;
  const toError = (code: HostErrorCode, message: string, more: Partial<HostErrorFacts> = {}) =>
    new HostError(message, { status, outcome: "refused", code, ...more });
  const wait = readWaitMs(status, headers, hostMessage);
  if (wait !== undefined && status !== 503) {
    const message = `the host's rate limit was exceeded ${details}. Retry in ${Math.ceil(wait / 1000)} s.`;
    return toError("host-unreachable", message, { outcome: "not-sent", retryAfterMs: wait });
  }
  if (status >= 500) {
    const message = `the host is unavailable ${details}. Try again later.`;
    const outcome = wait === undefined ? "unknown" : "not-sent";
    return toError("host-unreachable", message, { outcome, retryAfterMs: wait });
  }
  const tokenName = `the token in ${token.variable}`;
  if (status === 401) {
    const hint = "It may be wrong, expired or revoked. Set a new token.";
    return toError("host-unauthorized", `the host rejected ${tokenName} ${details}. ${hint}`);
  }
  if (status === 403)
    return toError("host-forbidden", `${tokenName} lacks a permission ${details}. ${permissions}`);
  if (status === 404 || status === 410) {
    const hint = `Check the repository and the number, and that ${tokenName} has read access.`;
    return toError("host-not-found", `not found ${details}. ${hint}`);
  }
  if (status < 400) {
    const hint = "Check the repository's name and URL.";
    return toError("host-refused", `the host redirects to another URL ${details}. ${hint}`);
  }
  return toError("host-refused", `the host rejected the request ${details}.`);
}

/** Reads the host's message from a response: a string, a list, or lists by field. */
function readMessage(text: string): string | undefined {
  const { message, error, errors } = Object(parseJson(text)) as Readonly<Record<string, unknown>>;
  const words = [message ?? error, errors].filter((part) => part !== undefined && part !== null);
  const line = toPlainLine(
    words.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" "),
  );
  return line === "" ? undefined : line;
}

/**
 * Returns the wait requested by a rate limit or a 503, or undefined for other responses. GitHub also limits with 403,
 * and documents a default wait of one minute.
 */
function readWaitMs(
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
