import { toPlainLine } from "../../base/text/index.js";

/** Error codes of the service, for programs. */
export type ServiceErrorCode =
  | "unreachable" // no connection
  | "dns" // the host name cannot be resolved
  | "tls" // certificate or TLS handshake
  | "proxy" // a proxy refuses to forward the request
  | "timeout"
  | "unauthorized" // 401
  | "forbidden" // 403
  | "not-found" // 404, 410
  | "refused" // any other 4xx, or a 2xx with an error code in the envelope (§7.1)
  | "name-taken" // refused because a context with that name exists
  | "rate-limited" // 429 for longer than we wait
  | "unavailable" // 5xx
  | "not-an-id" // an id has the wrong format
  | "not-json" // a 2xx with other content, e.g. a sign-in page
  | "cut" // the response was incomplete
  | "wrong-shape" // JSON, but not as documented
  | "redirected" // 3xx, never followed: the key is only sent to its own address
  | "cancelled"
  | "withheld"; // the check of `guardWrites` rejected it

/**
 * What may have happened to a write. `not-sent`: nothing was sent, or the service did not process it.
 * `refused`: the service refused it. `unknown`: it may have been processed; check before sending it again.
 */
export type WriteOutcome = "not-sent" | "refused" | "unknown";

/** One error of a 422: the position in the request, and the problem. */
export interface ErrorDetail {
  /** E.g. `body.links.0.url`. */
  readonly loc: string;
  readonly msg: string;
}

export interface ServiceErrorFacts {
  readonly code: ServiceErrorCode;
  readonly method: string;
  /** Path and query below the base address, e.g. `/v1/contexts?page=1`. */
  readonly path: string;
  readonly outcome: WriteOutcome;
  readonly status?: number | undefined;
  readonly details?: readonly ErrorDetail[] | undefined;
  /** The wait that the service asks for (Retry-After). */
  readonly retryAfterMs?: number | undefined;
  /** Whether the response was an HTML page, which comes from a proxy and not from the service. */
  readonly fromProxy?: boolean | undefined;
  /** The system's error, reduced by `toTrace`. */
  readonly cause?: Error | undefined;
}

/**
 * An error of the service or of the connection to it. The message says what to do next.
 * Neither it nor any property or cause contains the key or a request body.
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
 * Returns undefined for "not found". An HTML page stays an error, because it does not come from the service:
 * with a wrong base_url, all objects would look missing and be created again.
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
 * Reduces a system error to its message and code. The original may hold received bytes, sockets with pending
 * output or request objects, and `util.inspect` shows them all.
 */
export function toTrace(error: unknown): Error {
  const { message, code } = error as { message?: unknown; code?: unknown };
  const trace = new Error(toPlainLine(String(message || code || "unknown error")));
  trace.stack = `Error: ${trace.message}`;
  return typeof code === "string" ? Object.assign(trace, { code }) : trace;
}
