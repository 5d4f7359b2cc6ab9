import { type Service, ServiceError, type ServiceErrorCode } from "../../core/api/index.js";
import { type SessionEventDocument, sessionEventDocument } from "../../output/documents/index.js";
import {
  followSessions,
  openCalendar,
  readEnded,
  type SessionEvent,
  SessionWatch,
} from "../../sessions/reports/index.js";
import { passing } from "../gates/wait-for-idle.js";

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

/**
 * Looks at the sessions of an account again and again, until the signal aborts. All times are the service's, in ms; until
 * that is known, ours. Throws what no later look would mend, such as a refused key.
 */
export async function watchSessions(options: WatchOptions): Promise<void> {
  const { service, intervalMs, timeZone, now, sleep, signal, show } = options;
  const calendar = openCalendar(timeZone);
  const startOfDay = (ms: number) => calendar.startOf(calendar.dayAt(ms));
  const sessions = new SessionWatch(startOfDay);
  const follower = followSessions(service, now);
  /** The service's clock less ours. */
  let offsetMs = 0;
  let seenAt: number | undefined;
  let failures = 0;
  /** The code of the problem, and the day, that were shown last. */
  let shownProblem: string | undefined;
  let shownDay: string | undefined;

  const clock = () => now() + offsetMs;
  const showEvent = (event: Parameters<typeof sessionEventDocument>[0], at = clock()) =>
    show(sessionEventDocument(event, at));
  /** When the sessions were last seen. */
  const since = () => (seenAt === undefined ? {} : { since: new Date(seenAt).toISOString() });

  async function look(): Promise<void> {
    const { at, active, ended, unknown } = await follower.poll();
    const events =
      seenAt === undefined
        ? sessions.begin({ at, active, ended: await readEnded(service, startOfDay(at)) })
        : sessions.see({ at, active, ended });
    offsetMs = (service.serverTime() ?? now()) - now();
    if (shownProblem !== undefined) showEvent({ event: "available", ...since() });
    shownProblem = undefined;
    seenAt = at;
    showAll(events, unknown);
  }

  function showAll(events: readonly SessionEvent[], unknown: Readonly<Record<string, number>>): void {
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

  while (!signal.aborted) {
    let askedMs: number | undefined;
    try {
      await look();
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!mayPass(error, seenAt !== undefined)) throw error;
      failures++;
      const { code, message } = error;
      askedMs = error.retryAfterMs;
      if (code !== shownProblem) showEvent({ event: "unavailable", ...since(), problem: { code, message } });
      shownProblem = code;
    }
    await sleep(pauseMs(intervalMs, failures, askedMs), signal);
  }
}

/** The longest pause after failures, unless the interval is longer; ms. */
const longestPauseMs = 60_000;

/**
 * How long to wait after a look: the interval, and twice as long with each failure in a row; in any case as long as the
 * service asks. In ms.
 */
function pauseMs(intervalMs: number, failures: number, askedMs = 0): number {
  const backedOff = Math.min(intervalMs * 2 ** failures, Math.max(intervalMs, longestPauseMs));
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
