import { toPlainLine } from "../../base/text/index.js";

export type ServiceErrorCode =
  | "unreachable" // no connection
  | "dns" // the host name cannot be resolved
  | "tls" // certificate or TLS handshake
  | "proxy" // a proxy refuses to forward the request
  | "timeout"
  | "no-response" // the connection closed before a response, or the response is not HTTP
  | "unauthorized" // 401
  | "forbidden" // 403
  | "not-found" // 404, 410
  | "refused" // any other 4xx, or a 2xx with an error code in the envelope (§7.1)
  | "name-taken" // refused because a context with that name exists
  | "rate-limited" // 429 for longer than the maximum wait
  | "unavailable" // 5xx
  | "not-an-id" // an id has the wrong format
  | "not-json" // a 2xx with other content, such as a sign-in page
  | "cut" // the response was incomplete
  | "wrong-shape" // JSON, but not as documented
  | "redirected" // 3xx, never followed, because the key is sent only to the base URL
  | "cancelled"
  | "withheld"; // rejected by `guardWrites`

/**
 * Possible outcome of a write that failed.
 */
export type WriteOutcome =
  | "not-sent" // nothing was sent, or the service did not process the write
  | "refused" // the service refused the write
  | "unknown"; // the write may have been processed, so check before sending it again

/** Validation error in a 422 response. */
export interface ErrorDetail {
  /** Path to the invalid value in the request, such as `body.links.0.url`. */
  readonly loc: string;
  readonly msg: string;
}

export interface ServiceErrorFacts {
  readonly code: ServiceErrorCode;
  readonly method: string;
  /** Path and query, relative to the base URL, such as `/v1/contexts?page=1`. */
  readonly path: string;
  readonly outcome: WriteOutcome;
  readonly status?: number | undefined;
  readonly details?: readonly ErrorDetail[] | undefined;
  /** Wait requested by the service (Retry-After). */
  readonly retryAfterMs?: number | undefined;
  /** Whether the response was an HTML page, so it came from a proxy and not from the service. */
  readonly fromProxy?: boolean | undefined;
  /** System error, reduced by `toTrace`. */
  readonly cause?: Error | undefined;
}

/**
 * Error from the service or the connection. The message includes what to do next. Neither the message nor the
 * properties contain the key or a request body.
 */
export class ServiceError extends Error {
  declare readonly code: ServiceErrorCode;
  declare readonly method: string;
  declare readonly path: string;
  declare readonly outcome: WriteOutcome;
  declare readonly status: number | undefined;
  declare readonly details: readonly ErrorDetail[];
  declare readonly retryAfterMs: number | undefined;
  declare readonly fromProxy: boolean;

  constructor(message: string, { cause, ...facts }: ServiceErrorFacts) {
    super(message, cause && { cause });
    this.name = "ServiceError";
    const { details = [], fromProxy = false } = facts;
    Object.assign(this, { ...facts, details, fromProxy });
  }
}

/**
 * Returns undefined for a "not found" error. Rethrows it if the response was an HTML page: with a wrong base_url, all
 * objects would otherwise look missing and be created again.
 */
export async function ignoreNotFound<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not-found" && !error.fromProxy) return undefined;
    throw error;
  }
}

/**
 * Reduces a system error to its message and code, because the original may contain received bytes, pending output and
 * requests.
 */
export function toTrace(error: unknown): Error {
  const { message, code } = error as { message?: unknown; code?: unknown };
  const trace = new Error(toPlainLine(String(message || code || "unknown error")));
  trace.stack = `Error: ${trace.message}`;
  return typeof code === "string" ? Object.assign(trace, { code }) : trace;
}
