/** What went wrong, for programs. */
export type ServiceErrorCode =
  | "unreachable" // no connection
  | "dns" // the host name has no address
  | "tls" // the certificate or the handshake
  | "timeout"
  | "unauthorized" // 401
  | "forbidden" // 403
  | "not-found" // 404, 410
  | "refused" // any other 4xx, or a 2xx whose envelope says no (§7.1)
  | "name-taken" // a refusal because a context of that name exists
  | "rate-limited" // 429, for longer than our patience
  | "unavailable" // 5xx
  | "not-an-id" // what was given as an id has another shape
  | "not-json" // a 2xx with something else, e.g. a sign-in page
  | "cut" // the answer broke off
  | "wrong-shape" // JSON, but not the documented object
  | "redirected" // 3xx, never followed: the key stays with the address it was given for
  | "cancelled";

/**
 * What may have happened to a write. `not-sent`: nothing left, or the service said it did not process it.
 * `refused`: the service answered no. `unknown`: it may have been done: look before sending it again.
 * For reads it says the same and matters to nobody.
 */
export type WriteOutcome = "not-sent" | "refused" | "unknown";

/** One complaint of a 422: where in the request, and what. */
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
  /** HTTP status. */
  readonly status?: number | undefined;
  /** `code` of the envelope. */
  readonly serviceCode?: number | undefined;
  /** The service's own words: one line, cut, without control characters. Untrusted. */
  readonly serviceMessage?: string | undefined;
  readonly details?: readonly ErrorDetail[] | undefined;
  /** How long the service asks to wait (Retry-After, X-RateLimit-Reset). */
  readonly retryAfterMs?: number | undefined;
  /** An HTML page answered: something on the way to the service, not the service. */
  readonly fromProxy?: boolean | undefined;
  /** The system's own error, already reduced by `traceOf`. */
  readonly cause?: Error | undefined;
}

/**
 * The service, or the way to it, refused. The message is a whole sentence with what to do next. Neither it nor any
 * property or cause holds the key or a request body.
 */
export class ServiceError extends Error {
  readonly code: ServiceErrorCode;
  readonly method: string;
  readonly path: string;
  readonly outcome: WriteOutcome;
  readonly status: number | undefined;
  readonly serviceCode: number | undefined;
  readonly serviceMessage: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterMs: number | undefined;
  readonly fromProxy: boolean;

  constructor(message: string, facts: ServiceErrorFacts) {
    super(message, facts.cause && { cause: facts.cause });
    this.name = "ServiceError";
    this.code = facts.code;
    this.method = facts.method;
    this.path = facts.path;
    this.outcome = facts.outcome;
    this.status = facts.status;
    this.serviceCode = facts.serviceCode;
    this.serviceMessage = facts.serviceMessage;
    this.details = facts.details ?? [];
    this.retryAfterMs = facts.retryAfterMs;
    this.fromProxy = facts.fromProxy ?? false;
  }
}

/** The service answered with JSON that is not what the document describes; `at` is where, e.g. `data.prompt`. */
export class ShapeError extends ServiceError {
  readonly at: string;

  constructor(message: string, facts: Omit<ServiceErrorFacts, "code"> & { at: string }) {
    super(message, { ...facts, code: "wrong-shape" });
    this.name = "ShapeError";
    this.at = facts.at;
  }
}

/**
 * A system error reduced to its message and code. The original may carry anything (bytes received, sockets with their
 * pending output, request objects), and `util.inspect` shows all of it.
 */
export function traceOf(error: unknown): Error {
  const { message, code } = error as { message?: unknown; code?: unknown };
  const trace = new Error(plainLine(String(message || code || "unknown error")));
  trace.stack = `Error: ${trace.message}`;
  return typeof code === "string" ? Object.assign(trace, { code }) : trace;
}

const maxWordsLength = 300;

/** Untrusted text made fit for a message: one line, no control or formatting characters, cut at 300. */
export function plainLine(text: string): string {
  const line = text
    .slice(0, 10_000)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  return line.length <= maxWordsLength ? line : `${line.slice(0, maxWordsLength).trimEnd()}…`;
}
