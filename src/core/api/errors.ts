import { plainLine } from "../../base/text/index.js";

/** Error codes of the service, for programs. */
export type ServiceErrorCode =
  | "unreachable" // no connection
  | "dns" // the host name cannot be resolved
  | "tls" // certificate or TLS handshake
  | "proxy" // a proxy refuses to pass the request on
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
  | "withheld"; // `guardWrites`: the caller no longer allows it

/**
 * What may have happened to a write. `not-sent`: nothing was sent, or the service said that it did not
 * process it. `refused`: the service refused it. `unknown`: it may have been done; check before sending it
 * again. For reads it has the same meaning but no importance.
 */
export type WriteOutcome = "not-sent" | "refused" | "unknown";

/** One error of a 422: the place in the request, and the problem. */
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
  /** How long the service asks us to wait (Retry-After). */
  readonly retryAfterMs?: number | undefined;
  /** The response was an HTML page, from a proxy and not from the service. */
  readonly fromProxy?: boolean | undefined;
  /** The system's error, reduced by `toTrace`. */
  readonly cause?: Error | undefined;
}

/**
 * An error of the service or of the connection to it. The message is a complete sentence that says what to do
 * next. Neither it nor any property or cause contains the key or a request body.
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
 * Turns "not found" into undefined. An HTML page does not come from the service, so it stays an error:
 * otherwise a wrong base_url would look like missing objects, and all would be created again.
 */
export async function absentIfUnknown<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not-found" && !error.fromProxy) return undefined;
    throw error;
  }
}

/**
 * A system error reduced to its message and code. The original may contain anything (received bytes, sockets
 * with pending output, request objects), and `util.inspect` shows all of it.
 */
export function toTrace(error: unknown): Error {
  const { message, code } = error as { message?: unknown; code?: unknown };
  const trace = new Error(plainLine(String(message || code || "unknown error")));
  trace.stack = `Error: ${trace.message}`;
  return typeof code === "string" ? Object.assign(trace, { code }) : trace;
}
