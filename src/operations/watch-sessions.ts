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

export type SessionLoop = ReturnType<typeof openSessionLoop>;

/** Looks at the sessions of an account again and again. All times are the service's, in ms; until that is known, ours. */
export function openSessionLoop({ service, intervalMs, timeZone, now, sleep, signal, show }: WatchOptions) {
  const calendar = openCalendar(timeZone);
  const startOfDay = (ms: number) => calendar.startOf(calendar.dayAt(ms));
  const begunAt = now();
  const sessions = new SessionWatch(startOfDay);
  const follower = followSessions(service, { now });
  /** The service's clock less ours. */
  let offsetMs = 0;
  let seenAt: number | undefined;
  let unknown: Readonly<Record<string, number>> = {};
  /** Failures and 429s in a row. */
  let setbacks = 0;
  /** Why the last look failed. */
  let failed: Problem | undefined;
  /** Why the last request of the look that is going on failed; it is repeated. */
  let failing: Problem | undefined;
  /** The code of the problem, and the day, that were shown last. */
  let shownProblem: string | undefined;
  let shownDay: string | undefined;

  const clock = () => now() + offsetMs;
  const showEvent = (event: Parameters<typeof sessionEventDocument>[0], at = clock()) =>
    show(sessionEventDocument(event, at));
  /** When the sessions were last seen. */
  const since = () => (seenAt === undefined ? {} : { since: new Date(seenAt).toISOString() });

  async function look(): Promise<void> {
    const { at, active, ended, unknown: odd } = await follower.poll();
    const events =
      seenAt === undefined
        ? sessions.begin({ at, active, ended: await readEnded(service, startOfDay(at)) })
        : sessions.see({ at, active, ended });
    offsetMs = (service.serverTime() ?? now()) - now();
    unknown = odd;
    failed = undefined;
    failing = undefined;
    if (shownProblem !== undefined) showEvent({ event: "available", ...since() });
    shownProblem = undefined;
    seenAt = at;
    showAll(events);
  }

  function showAll(events: readonly SessionEvent[]): void {
    for (const { at, ...event } of events) showEvent(event, at);
    const today = sessions.today(clock());
    // Not for the credits alone, which grow as long as anything is active.
    if (events.length === 0 && shownDay === today.since) return;
    shownDay = today.since;
    const { active } = sessions;
    const sandbox = active.filter(({ is_sandbox }) => is_sandbox);
    const counts = { active: active.length, active_sandbox: sandbox.length };
    showEvent({ event: "summary", ...counts, today, unknown });
  }

  /** Time has passed: an outage may be noticed. */
  function tick(): void {
    const isLate = clock() - (seenAt ?? begunAt) > intervalMs + graceMs;
    const problem = failed ?? (isLate ? failing : undefined);
    if (!problem || problem.code === shownProblem) return;
    shownProblem = problem.code;
    showEvent({ event: "unavailable", ...since(), problem });
  }

  return {
    tick,
    /** Shows what is seen, until the signal aborts. Throws what no later look would mend, such as a refused key. */
    async run(): Promise<void> {
      while (!signal.aborted) {
        const throttledBefore = service.requests.throttled;
        let askedMs: number | undefined;
        try {
          await look();
          setbacks = service.requests.throttled > throttledBefore ? setbacks + 1 : 0;
        } catch (error) {
          if (signal.aborted) return;
          if (!mayPass(error, seenAt !== undefined)) throw error;
          setbacks += 1;
          askedMs = error.retryAfterMs;
          failed = { code: error.code, message: error.message };
        }
        tick();
        await sleep(pauseMs(intervalMs, setbacks, askedMs), signal);
      }
    },
    /** A request to the service has ended. */
    request({ method, path, status, error }: RequestEvent): void {
      const isAnswered = status !== undefined && status !== 429 && status < 500;
      const what = status === undefined ? `there was no answer (${error})` : `the service answered ${status}`;
      const code = error ?? (status === 429 ? "rate-limited" : "unavailable");
      failing = isAnswered ? undefined : { code, message: `${method} ${path}: ${what}.` };
    },
  };
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
