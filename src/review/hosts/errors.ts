import type { HttpResponse } from "../../base/http/index.js";
import { parseJson, toPlainLine } from "../../base/text/index.js";

/** Error codes of a code host. */
export type HostErrorCode =
  | "host-unreachable" // no answer, one that is not the host's, or one that says to try later
  | "host-unauthorized" // 401
  | "host-forbidden" // 403: the token lacks a permission
  | "host-not-found" // 404, 410; hosts answer so if the token may not even read
  | "host-refused" // any other 3xx and 4xx; redirects are not followed: the token is only sent to its own address
  | "cancelled";

/**
 * Possible result of a write. `not-sent`: not processed. `refused`: rejected by the host. `unknown`: possibly done, so check before
 * retrying.
 */
export type HostOutcome = "not-sent" | "refused" | "unknown";

export interface HostErrorFacts {
  readonly code: HostErrorCode;
  readonly outcome: HostOutcome;
  /** HTTP status. */
  readonly status?: number | undefined;
  /** Wait requested by the host. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: Error | undefined;
}

/**
 * Error of a code host or of the connection to it. The message contains the next step. Neither it nor any property or cause contains
 * the token.
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

/** Missing settings for a code host. The message names them. */
export class HostSetupError extends Error {
  override readonly name = "HostSetupError";
  readonly code: "no-host" | "no-token" | "not-a-repository" | "not-a-host" | "event-file" | "review-key";

  constructor(code: HostSetupError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Converts an unsuccessful response to an error. */
export function refusal(
  { status, text, headers }: HttpResponse,
  { token, permissions }: { readonly token: { readonly variable: string }; readonly permissions: string },
): HostError {
  const hostMessage = readMessage(text);
  const said = `(${[status, hostMessage].filter(Boolean).join(": ")})`;
  const toError = (code: HostErrorCode, message: string, more: Partial<HostErrorFacts> = {}) =>
    new HostError(message, { status, outcome: "refused", code, ...more });
  const wait = readWaitMs(status, headers, hostMessage);
  if (wait !== undefined && status !== 503) {
    const message = `the host limits requests ${said}: try again in ${Math.ceil(wait / 1000)} s.`;
    return toError("host-unreachable", message, { outcome: "not-sent", retryAfterMs: wait });
  }
  if (status >= 500) {
    const message = `the host is not available ${said}: try again later.`;
    const outcome = wait === undefined ? "unknown" : "not-sent";
    return toError("host-unreachable", message, { outcome, retryAfterMs: wait });
  }
  const named = `the token in ${token.variable}`;
  if (status === 401) {
    const why = "it may be wrong, expired or revoked.";
    return toError("host-unauthorized", `the host does not accept ${named} ${said}: ${why}`);
  }
  if (status === 403) return toError("host-forbidden", `${named} may not do this ${said}. ${permissions}`);
  if (status === 404 || status === 410) {
    const hint = `check the repository and the number, and that ${named} may read it.`;
    return toError("host-not-found", `not found ${said}: ${hint}`);
  }
  const hint = status < 400 ? " It answers with another address: check that of the repository." : "";
  return toError("host-refused", `the host refused it ${said}.${hint}`);
}

/** Reads `message` or `error` of the response, which is a text, a list, or lists by field. */
function readMessage(text: string): string | undefined {
  const { message, error, errors } = Object(parseJson(text)) as Readonly<Record<string, unknown>>;
  const words = [message ?? error, errors].filter((part) => part !== undefined && part !== null);
  const line = toPlainLine(
    words.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" "),
  );
  return line === "" ? undefined : line;
}

/**
 * Returns the wait requested by a rate limit, or undefined for other responses. GitHub also limits with 403, and documents a wait of one
 * minute if it does not name one.
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
