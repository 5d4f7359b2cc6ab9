import { type RequestEvent, ServiceError, type ServiceErrorCode } from "../../api/index.js";
import type { WatchTrouble } from "../../render/index.js";

/** Why nothing is seen. */
export interface Problem {
  readonly code: string;
  /** One sentence. */
  readonly message: string;
}

/** A look that takes this much longer than the interval is an outage, once a request of it has failed; ms. */
const graceMs = 5_000;

/** Knows since when nothing is seen, and why. Times are in ms by the service's clock; until that is known, by ours. */
export class Outages {
  readonly #intervalMs: number;
  readonly #begun: number;
  #lastSeen: number | undefined;
  /** The last look failed. */
  #failed: Problem | undefined;
  /** The last request of the look that is going on failed; it is repeated. */
  #failing: Problem | undefined;
  #nextAt: number | undefined;

  constructor({ intervalMs, now }: { readonly intervalMs: number; readonly now: number }) {
    this.#intervalMs = intervalMs;
    this.#begun = now;
  }

  /** A look has come to its end. */
  seen(at: number): void {
    this.#lastSeen = at;
    this.#failed = undefined;
    this.#failing = undefined;
    this.#nextAt = undefined;
  }

  /** A look has failed. */
  missed(error: ServiceError): void {
    this.#failed = { code: error.code, message: error.message };
  }

  /** There is another look at this time; undefined: now. */
  next(at: number | undefined): void {
    this.#nextAt = at;
  }

  /** A request of a look has ended. */
  request({ method, path, status, error }: RequestEvent): void {
    const isAnswered = status !== undefined && status !== 429 && status < 500;
    const what = status === undefined ? `there was no answer (${error})` : `the service answered ${status}`;
    const code = error ?? (status === 429 ? "rate-limited" : "unavailable");
    this.#failing = isAnswered ? undefined : { code, message: `${method} ${path}: ${what}.` };
  }

  /** What is to be said of it at a time; undefined: all is well, or may well be. */
  at(now: number): (WatchTrouble & Problem) | undefined {
    const isLate = now - (this.#lastSeen ?? this.#begun) > this.#intervalMs + graceMs;
    const problem = this.#failed ?? (isLate ? this.#failing : undefined);
    return problem && { ...problem, since: this.#lastSeen, nextAt: this.#nextAt };
  }
}

/** Whether a later look may succeed; `hasSeen`: an earlier one did. */
export function mayPass(error: unknown, hasSeen: boolean): error is ServiceError {
  if (!(error instanceof ServiceError)) return false;
  const { code, fromProxy } = error;
  if (passing.has(code)) return true;
  // Anything else is wrong from the first look on, unless it comes later: then it is part of an outage.
  return hasSeen && !lasting.has(code) && (code !== "forbidden" || fromProxy);
}

const passing: ReadonlySet<ServiceErrorCode> = new Set([
  ...(["unreachable", "dns", "timeout", "cut", "rate-limited", "unavailable"] as const),
]);
/** A key that is refused stays so. */
const lasting: ReadonlySet<ServiceErrorCode> = new Set(["unauthorized", "cancelled"]);
