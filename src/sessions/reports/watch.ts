import type { Service } from "../../core/api/index.js";
import { readSessions } from "./read.js";
import { getCreatedMs, getEndedMs, type SessionRow } from "./row.js";
import { sumExactly } from "./sum.js";

/** One check of an account's sessions. */
export interface SessionCheck {
  /** Time by the service's clock. */
  readonly at: number;
  readonly active: readonly SessionRow[];
  /** Sessions that ended since the previous check. */
  readonly ended: readonly SessionRow[];
}

/** Session event, with times in ms by the service's clock. `active` means active at the start of the watch. */
export interface SessionEvent {
  readonly event: "active" | "started" | "ended";
  readonly at: number;
  readonly session: SessionRow;
}

/** Counts of sessions created today, including sandbox sessions. Keys are named as in the JSON output. */
export interface SessionsToday {
  /** Start of the day (ISO 8601). */
  readonly since: string;
  readonly sessions: number;
  readonly sandbox_sessions: number;
  readonly credits_consumed: number;
  readonly sessions_without_credits: number;
}

/** Reads the ended sessions created since a time, by the service's clock. */
export async function readEndedSessions(
  service: Pick<Service, "sessions">,
  since: number,
): Promise<SessionRow[]> {
  const rows: SessionRow[] = [];
  for await (const row of readSessions(service, { type: "historic", since })) rows.push(row);
  return rows;
}

/** Tracks active and ended sessions, and today's cost. */
export class SessionWatch {
  readonly #getStartOfDay: (ms: number) => number;
  #active: readonly SessionRow[] = [];
  /** Ended sessions created today, by id. */
  #endedToday = new Map<string | undefined, SessionRow>();
  /** Sessions whose start has been reported, but not their end. */
  #started = new Set<string | undefined>();
  #today: SessionsToday | undefined;

  /** @param getStartOfDay Returns the start of the day that contains a time, both in ms. */
  constructor(getStartOfDay: (ms: number) => number) {
    this.#getStartOfDay = getStartOfDay;
  }

  /** Starts with the first check. Does not report sessions that had already ended. */
  begin({ at, active, ended }: SessionCheck): readonly SessionEvent[] {
    this.#record({ at, active, ended });
    return this.#active.map((session) => ({ event: "active", at, session }));
  }

  /** Adds a check and returns the events since the previous check, in chronological order. */
  addCheck(check: SessionCheck): readonly SessionEvent[] {
    const known = new Set(this.#started);
    this.#record(check);
    const started = [...this.#active, ...check.ended].filter(({ id }) => !known.has(id));
    const getStart = (session: SessionRow) => getCreatedMs(session) || check.at;
    const getEnd = (session: SessionRow) =>
      Math.max(getEndedMs(session) || check.at, getCreatedMs(session) || 0);
    const events: SessionEvent[] = [
      ...started.map((session) => ({ event: "started" as const, at: getStart(session), session })),
      ...check.ended.map((session) => ({ event: "ended" as const, at: getEnd(session), session })),
    ];
    // The sort is stable, so a start comes before an end in the same millisecond.
    return events.sort((one, other) => one.at - other.at);
  }

  /** Active sessions, newest first. */
  get activeSessions(): readonly SessionRow[] {
    return this.#active;
  }

  /** Counts the sessions created on the day of `now`, by the service's clock. */
  countToday(now: number): SessionsToday {
    const sinceMs = this.#getStartOfDay(now);
    if (!this.#today || Date.parse(this.#today.since) !== sinceMs) this.#today = this.#countSince(sinceMs);
    return this.#today;
  }

  #record({ at, active, ended }: SessionCheck): void {
    const endedNow = new Set(ended.map(({ id }) => id));
    for (const session of ended) {
      this.#started.delete(session.id);
      this.#endedToday.set(session.id, session);
    }
    // A session that ends between the two reads may be in both lists.
    const isEnded = (id: string | undefined) => endedNow.has(id) || this.#endedToday.has(id);
    this.#active = active.filter(({ id }) => !isEnded(id)).sort(compareByTime(getCreatedMs));
    for (const { id } of this.#active) this.#started.add(id);
    this.#today = this.#countSince(this.#getStartOfDay(at));
  }

  #countSince(sinceMs: number): SessionsToday {
    const isToday = (session: SessionRow) => getCreatedMs(session) >= sinceMs;
    for (const [id, session] of this.#endedToday) if (!isToday(session)) this.#endedToday.delete(id);
    const sessions = [...this.#active.filter(isToday), ...this.#endedToday.values()];
    const credits = sessions.flatMap((session) => session.credits_consumed ?? []);
    return {
      since: new Date(sinceMs).toISOString(),
      sessions: sessions.length,
      sandbox_sessions: sessions.filter((session) => session.is_sandbox).length,
      credits_consumed: sumExactly(credits),
      sessions_without_credits: sessions.length - credits.length,
    };
  }
}

/** Compares by time, latest first. Sessions without a time come last. */
function compareByTime(toMs: (session: SessionRow) => number) {
  return (one: SessionRow, other: SessionRow) => (toMs(other) || 0) - (toMs(one) || 0);
}
