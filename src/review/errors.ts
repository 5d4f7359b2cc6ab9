/** Error codes of a code host, for programs. */
export type HostErrorCode =
  | "host-unreachable" // no connection
  | "host-timeout"
  | "host-unauthorized" // 401
  | "host-forbidden" // 403: the token lacks a permission
  | "host-not-found" // 404, 410; hosts answer so if the token may not even read
  | "host-refused" // any other 4xx, such as 409 and 422
  | "host-rate-limited" // for longer than we wait
  | "host-unavailable" // 5xx
  | "host-wrong-answer" // HTML, an incomplete answer, or JSON of another shape
  | "host-redirected" // never followed: the token is only sent to its own address
  | "cancelled";

/**
 * What may have happened to a write. `not-sent`: not processed. `refused`: the host said no. `unknown`: it may have
 * been done; look before sending it again.
 */
export type HostOutcome = "not-sent" | "refused" | "unknown";

export interface HostErrorFacts {
  readonly code: HostErrorCode;
  readonly outcome: HostOutcome;
  /** HTTP status. */
  readonly status?: number | undefined;
  /** How long the host asks us to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The host's own words: one line, shortened. Untrusted. */
  readonly hostMessage?: string | undefined;
  readonly cause?: Error | undefined;
}

/**
 * An error of a code host or of the connection to it. The message says what failed and what to do next. Neither it nor
 * any property or cause contains the token.
 */
export class HostError extends Error {
  readonly code: HostErrorCode;
  readonly outcome: HostOutcome;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly hostMessage: string | undefined;

  constructor(message: string, facts: HostErrorFacts) {
    super(message, facts.cause && { cause: facts.cause });
    this.name = "HostError";
    this.code = facts.code;
    this.outcome = facts.outcome;
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
    this.hostMessage = facts.hostMessage;
  }
}

/** What is missing to reach a code host; the message says what to set. */
export class HostSetupError extends Error {
  readonly code: "no-host" | "no-token" | "not-a-repository" | "not-a-host" | "event-file" | "review-key";

  constructor(code: HostSetupError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "HostSetupError";
    this.code = code;
  }
}
