import { type Service, ServiceError, type ServiceErrorCode } from "../../core/api/index.js";
import { type SessionEventDocument, toSessionEventDocument } from "../../output/documents/index.js";
import {
  followSessions,
  openCalendar,
  readEndedSessions,
  type SessionEvent,
  SessionWatch,
} from "../../sessions/reports/index.js";
import { transientErrorCodes } from "../gates/wait-for-idle.js";

export interface WatchOptions {
  readonly service: Service;
  readonly intervalMs: number;
  readonly timeZone: string;
  /** Wall clock in ms. */
  readonly now: () => number;
  /** Waits for `ms`, or until the signal aborts. Never throws. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Signal that ends the watch. */
  readonly signal: AbortSignal;
  readonly show: (event: SessionEventDocument) => void;
}

/**
 * Polls an account's sessions until the signal aborts. Times follow the service's clock, or this machine's clock until
 * the first response.
 *
 * @throws permanent errors, such as a rejected key.
 */
export async function watchSessions(options: WatchOptions): Promise<void> {
  const { service, intervalMs, timeZone, now, sleep, signal, show } = options;
  const calendar = openCalendar(timeZone);
  const getStartOfDay = (ms: number) => calendar.getStart(calendar.dayAt(ms));
  const sessions = new SessionWatch(getStartOfDay);
  const follower = followSessions(service, now);
  /** Service's clock minus this machine's clock. */
  let offsetMs = 0;
  let seenAt: number | undefined;
  let failures = 0;
  /** The problem and the day that were last shown. */
  let shownProblem: string | undefined;
  let shownDay: string | undefined;

  const getServiceTime = () => now() + offsetMs;
  const showEvent = (event: Parameters<typeof toSessionEventDocument>[0], at = getServiceTime()) =>
    show(toSessionEventDocument(event, at));
  /** Returns a filter for sessions since the last successful poll. */
  const getSinceFilter = () => (seenAt === undefined ? {} : { since: new Date(seenAt).toISOString() });

  async function checkSessions(): Promise<void> {
    const { at, active, ended, unknown } = await follower.poll();
    const events =
      seenAt === undefined
        ? sessions.begin({ at, active, ended: await readEndedSessions(service, getStartOfDay(at)) })
        : sessions.addCheck({ at, active, ended });
    offsetMs = (service.getServerTime() ?? now()) - now();
    if (shownProblem !== undefined) showEvent({ event: "available", ...getSinceFilter() });
    shownProblem = undefined;
    seenAt = at;
    showAll(events, unknown);
  }

  function showAll(events: readonly SessionEvent[], unknown: Readonly<Record<string, number>>): void {
    for (const { at, ...event } of events) showEvent(event, at);
    const today = sessions.countToday(getServiceTime());
    // Ignores a change in credits alone, because credits grow while any session is active.
    if (events.length === 0 && shownDay === today.since) return;
    shownDay = today.since;
    const { activeSessions } = sessions;
    const sandbox = activeSessions.filter(({ is_sandbox }) => is_sandbox);
    const counts = { active: activeSessions.length, active_sandbox: sandbox.length };
    showEvent({ event: "summary", ...counts, today, unknown });
  }

  while (!signal.aborted) {
    let askedMs: number | undefined;
    try {
      await checkSessions();
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!isTransient(error, seenAt !== undefined)) throw error;
      failures++;
      const { code, message } = error;
      askedMs = error.retryAfterMs;
      if (code !== shownProblem)
        showEvent({ event: "unavailable", ...getSinceFilter(), problem: { code, message } });
      shownProblem = code;
    }
    await sleep(computePauseMs(intervalMs, failures, askedMs), signal);
  }
}

/** Maximum pause after failures, unless the interval is longer. */
const maxPauseMs = 60_000;

/**
 * Returns the pause after a poll. The interval doubles with each consecutive failure. The pause is never shorter than
 * the service requests.
 */
function computePauseMs(intervalMs: number, failures: number, askedMs = 0): number {
  const backedOff = Math.min(intervalMs * 2 ** failures, Math.max(intervalMs, maxPauseMs));
  return Math.max(backedOff, askedMs);
}

/** Returns whether a later poll may succeed. `hasSeen` means that an earlier poll succeeded. */
function isTransient(error: unknown, hasSeen: boolean): error is ServiceError {
  if (!(error instanceof ServiceError)) return false;
  const { code, fromProxy } = error;
  if (transientErrorCodes.has(code)) return true;
  // On the first poll, any other error is permanent. Later, it is part of an outage.
  return hasSeen && !permanentCodes.has(code) && (code !== "forbidden" || fromProxy);
}

/** Codes of permanent errors, such as a rejected key. */
const permanentCodes: ReadonlySet<ServiceErrorCode> = new Set(["unauthorized", "cancelled"]);
