import type { Service } from "../../core/api/index.js";
import { readSessions } from "./read.js";
import { createdMs, endedMs, type SessionRow } from "./row.js";
import { exactSum } from "./sum.js";

/** One look at the sessions of an account. */
export interface SessionsSeen {
  /** When, in ms by the service's clock. */
  readonly at: number;
  readonly active: readonly SessionRow[];
  /** Ended since the look before. */
  readonly ended: readonly SessionRow[];
}

/** What happened to a session; `active`: it was active when the watch began. Times are in ms by the service's clock. */
export interface SessionEvent {
  readonly event: "active" | "started" | "ended";
  readonly at: number;
  readonly session: SessionRow;
}

/** The sessions created today, active and ended; with those in sandbox mode. Has the keys of documents. */
export interface SessionsToday {
  /** The beginning of the day, ISO 8601. */
  readonly since: string;
  readonly sessions: number;
  readonly sandbox_sessions: number;
  readonly credits_consumed: number;
  readonly sessions_without_credits: number;
}

/** Ended sessions that were created since a time in ms, by the service's clock. */
export async function readEnded(service: Pick<Service, "sessions">, since: number): Promise<SessionRow[]> {
  const rows: SessionRow[] = [];
  for await (const row of readSessions(service, { type: "historic", since })) rows.push(row);
  return rows;
}

/** Follows what is active, what has ended, and what today has cost. */
export class SessionWatch {
  readonly #startOfDay: (ms: number) => number;
  #active: readonly SessionRow[] = [];
  /** Ended sessions created today, by id. */
  #endedToday = new Map<string | undefined, SessionRow>();
  /** Sessions with a reported start and no reported end. */
  #started = new Set<string | undefined>();
  #today: SessionsToday | undefined;

  /** `startOfDay` returns the beginning of the day of a time, both in ms. */
  constructor(startOfDay: (ms: number) => number) {
    this.#startOfDay = startOfDay;
  }

  /** The first look, with the sessions that ended before it. */
  begin({ at, active, ended }: SessionsSeen): readonly SessionEvent[] {
    this.#note({ at, active, ended });
    return this.#active.map((session) => ({ event: "active", at, session }));
  }

  /** Another look: what happened since the one before, in the order of time. */
  see(seen: SessionsSeen): readonly SessionEvent[] {
    const isKnown = new Set(this.#started);
    this.#note(seen);
    const begun = [...this.#active, ...seen.ended].filter(({ id }) => !isKnown.has(id));
    const started = (session: SessionRow) => createdMs(session) || seen.at;
    const ended = (session: SessionRow) => Math.max(endedMs(session) || seen.at, createdMs(session) || 0);
    const events: SessionEvent[] = [
      ...begun.map((session) => ({ event: "started" as const, at: started(session), session })),
      ...seen.ended.map((session) => ({ event: "ended" as const, at: ended(session), session })),
    ];
    // Stable: who ended in the millisecond of the start has started first.
    return events.sort((one, other) => one.at - other.at);
  }

  /** Newest first. */
  get active(): readonly SessionRow[] {
    return this.#active;
  }

  /** The day of a time in ms by the service's clock. */
  today(now: number): SessionsToday {
    const sinceMs = this.#startOfDay(now);
    if (!this.#today || Date.parse(this.#today.since) !== sinceMs) this.#today = this.#countSince(sinceMs);
    return this.#today;
  }

  #note({ at, active, ended }: SessionsSeen): void {
    const endedNow = new Set(ended.map(({ id }) => id));
    for (const session of ended) {
      this.#started.delete(session.id);
      this.#endedToday.set(session.id, session);
    }
    // The lists are read one after the other: a session that ends in between may be in both.
    const isEnded = (id: string | undefined) => endedNow.has(id) || this.#endedToday.has(id);
    this.#active = active.filter(({ id }) => !isEnded(id)).sort(byTime(createdMs));
    for (const { id } of this.#active) this.#started.add(id);
    this.#today = this.#countSince(this.#startOfDay(at));
  }

  #countSince(sinceMs: number): SessionsToday {
    const isOfToday = (session: SessionRow) => createdMs(session) >= sinceMs;
    for (const [id, session] of this.#endedToday) if (!isOfToday(session)) this.#endedToday.delete(id);
    const sessions = [...this.#active.filter(isOfToday), ...this.#endedToday.values()];
    const credits = sessions.flatMap((session) => session.credits_consumed ?? []);
    return {
      since: new Date(sinceMs).toISOString(),
      sessions: sessions.length,
      sandbox_sessions: sessions.filter((session) => session.is_sandbox).length,
      credits_consumed: exactSum(credits),
      sessions_without_credits: sessions.length - credits.length,
    };
  }
}

/** Last first; without a time, at the end. */
function byTime(toMs: (session: SessionRow) => number) {
  return (one: SessionRow, other: SessionRow) => (toMs(other) || 0) - (toMs(one) || 0);
}
