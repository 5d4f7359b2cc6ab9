import { type RequestEvent, type Service, ServiceError, type ServiceErrorCode } from "../core/api/index.js";
import { type SessionEventDocument, sessionEventDocument } from "../output/documents/index.js";
import {
  followSessions,
  openCalendar,
  readEnded,
  type SessionEvent,
  SessionWatch,
} from "../sessions/reports/index.js";
import { passing } from "./gates/wait-for-idle.js";

/** How to watch. */
export interface WatchOptions {
  readonly service: Service;
  readonly intervalMs: number;
  readonly timeZone: string;
  /** Wall clock in ms. */
  readonly now: () => number;
  /** Waits this long, or until the signal aborts; never throws. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  readonly show: (event: SessionEventDocument) => void;
}

/** Why nothing is seen: a code, and one sentence. */
interface Problem {
  readonly code: string;
  readonly message: string;
}

/** A look that takes this much longer than the interval is an outage, once a request of it has failed; ms. */
const graceMs = 5_000;

/** Looks at the sessions of an account again and again. All times are the service's, in ms; until that is known, ours. */
export class WatchLoop {
  readonly #options: WatchOptions;
  readonly #startOfDay: (ms: number) => number;
  readonly #begunAt: number;
  readonly #sessions: SessionWatch;
  readonly #follower: ReturnType<typeof followSessions>;
  /** The service's clock less ours. */
  #offsetMs = 0;
  #seenAt: number | undefined;
  #unknown: Readonly<Record<string, number>> = {};
  /** Failures and 429s in a row. */
  #setbacks = 0;
  /** Why the last look failed. */
  #failed: Problem | undefined;
  /** Why the last request of the look that is going on failed; it is repeated. */
  #failing: Problem | undefined;
  /** The code of the problem, and the day, that were shown last. */
  #shownProblem: string | undefined;
  #shownDay: string | undefined;

  constructor(options: WatchOptions) {
    const calendar = openCalendar(options.timeZone);
    this.#options = options;
    this.#startOfDay = (ms) => calendar.startOf(calendar.dayAt(ms));
    this.#begunAt = options.now();
    this.#sessions = new SessionWatch(this.#startOfDay);
    this.#follower = followSessions(options.service, { now: options.now });
  }

  /** Shows what is seen, until the signal aborts. Throws what no later look would mend, such as a refused key. */
  async run(): Promise<void> {
    const { service, signal, intervalMs, sleep } = this.#options;
    while (!signal.aborted) {
      const throttledBefore = service.requests.throttled;
      let askedMs: number | undefined;
      try {
        await this.#look();
        this.#setbacks = service.requests.throttled > throttledBefore ? this.#setbacks + 1 : 0;
      } catch (error) {
        if (signal.aborted) return;
        if (!mayPass(error, this.#seenAt !== undefined)) throw error;
        this.#setbacks += 1;
        askedMs = error.retryAfterMs;
        this.#failed = { code: error.code, message: error.message };
      }
      this.tick();
      await sleep(pauseMs(intervalMs, this.#setbacks, askedMs), signal);
    }
  }

  /** A request to the service has ended. */
  request({ method, path, status, error }: RequestEvent): void {
    const isAnswered = status !== undefined && status !== 429 && status < 500;
    const what = status === undefined ? `there was no answer (${error})` : `the service answered ${status}`;
    const code = error ?? (status === 429 ? "rate-limited" : "unavailable");
    this.#failing = isAnswered ? undefined : { code, message: `${method} ${path}: ${what}.` };
  }

  /** Time has passed: an outage may be noticed. */
  tick(): void {
    const problem = this.#problem();
    if (!problem || problem.code === this.#shownProblem) return;
    this.#shownProblem = problem.code;
    this.#show({ event: "unavailable", ...this.#since(), problem });
  }

  async #look(): Promise<void> {
    const { service, now } = this.#options;
    const { at, active, ended, unknown } = await this.#follower.poll();
    const events =
      this.#seenAt === undefined
        ? this.#sessions.begin({ at, active, ended: await readEnded(service, this.#startOfDay(at)) })
        : this.#sessions.see({ at, active, ended });
    this.#offsetMs = (service.serverTime() ?? now()) - now();
    this.#unknown = unknown;
    this.#failed = undefined;
    this.#failing = undefined;
    if (this.#shownProblem !== undefined) this.#show({ event: "available", ...this.#since() });
    this.#shownProblem = undefined;
    this.#seenAt = at;
    this.#showEvents(events);
  }

  #showEvents(events: readonly SessionEvent[]): void {
    for (const { at, ...event } of events) this.#show(event, at);
    const today = this.#sessions.today(this.#clock());
    // Not for the credits alone, which grow as long as anything is active.
    if (events.length === 0 && this.#shownDay === today.since) return;
    this.#shownDay = today.since;
    const { active } = this.#sessions;
    this.#show({
      event: "summary",
      active: active.length,
      active_sandbox: active.filter(({ is_sandbox }) => is_sandbox).length,
      ...{ today, unknown: this.#unknown },
    });
  }

  #show(event: Parameters<typeof sessionEventDocument>[0], at = this.#clock()): void {
    this.#options.show(sessionEventDocument(event, at));
  }

  /** When the sessions were last seen. */
  #since(): { readonly since?: string } {
    return this.#seenAt === undefined ? {} : { since: new Date(this.#seenAt).toISOString() };
  }

  /** Why nothing is seen now; undefined: all is well, or may well be. */
  #problem(): Problem | undefined {
    const isLate = this.#clock() - (this.#seenAt ?? this.#begunAt) > this.#options.intervalMs + graceMs;
    return this.#failed ?? (isLate ? this.#failing : undefined);
  }

  #clock(): number {
    return this.#options.now() + this.#offsetMs;
  }
}

/** The longest pause after setbacks, unless the interval is longer; ms. */
const longestPauseMs = 60_000;

/**
 * How long to wait after a look: the interval, and twice as long with each failure or 429 in a row; in any case as long
 * as the service asks. In ms.
 */
function pauseMs(intervalMs: number, setbacks: number, askedMs = 0): number {
  const backedOff = Math.min(intervalMs * 2 ** setbacks, Math.max(intervalMs, longestPauseMs));
  return Math.max(backedOff, askedMs);
}

/** Whether a later look may succeed; `hasSeen`: an earlier one did. */
function mayPass(error: unknown, hasSeen: boolean): error is ServiceError {
  if (!(error instanceof ServiceError)) return false;
  const { code, fromProxy } = error;
  if (passing.has(code)) return true;
  // Anything else is wrong from the first look on, unless it comes later: then it is part of an outage.
  return hasSeen && !lasting.has(code) && (code !== "forbidden" || fromProxy);
}

/** A key that is refused stays so. */
const lasting: ReadonlySet<ServiceErrorCode> = new Set(["unauthorized", "cancelled"]);
