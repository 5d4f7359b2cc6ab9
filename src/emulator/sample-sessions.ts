import { newSession, type Session } from "./new-session.js";
import { dayMs, minuteMs, sampleAvatarId, sampleId, sandboxAvatarId } from "./sample-ids.js";

/** The sessions of the sample account, whose times lie before `nowMs`. */
export function sampleSessions(nowMs: number): Session[] {
  return [...historicSessions(nowMs), ...activeSessions(nowMs)];
}

const sources = ["API", "EMBED", "APP", "DEMO"];

/** The values seen in practice; §2.7 has none. */
const endReasons = [
  "USER_DISCONNECTED",
  "USER_CLOSED",
  "IDLE_TIMEOUT",
  "AGENT_HANG_UP",
  "MAX_DURATION_REACHED",
  "UNKNOWN",
  "NO_CREDITS",
  "SERVER_ERROR",
  "ZOMBIE_SESSION_REAP",
  "AVATAR_DELETED",
];

/** Sessions that have ended, at equal distances up to `nowMs`, in the order of creation: for accounts of any size. */
export function endedSessions(count: number, nowMs: number, everyMs = 3 * minuteMs): Session[] {
  return sessionsFrom(count, (i) => nowMs - (count - i) * everyMs - longestMs).map((one) => one.toJSON());
}

/**
 * The same over the last 60 days, in the order of creation: more of them by day than by night, on weekdays than at the weekend, and in
 * the second month than in the first, so that a report has something to show. Their fields are made when they are read.
 */
export function spreadSessions(count: number, nowMs: number): Session[] {
  const hours = 60 * 24;
  const firstMs = nowMs - longestMs - hours * hourMs;
  // How many sessions, as a share, begin before the end of each hour.
  const until = new Float64Array(hours);
  let total = 0;
  for (let hour = 0; hour < hours; hour++) {
    const at = new Date(firstMs + hour * hourMs);
    const byDay = 1 + 6 * Math.max(0, Math.sin(((at.getUTCHours() - 6) / 14) * Math.PI));
    const weekend = at.getUTCDay() % 6 === 0 ? 0.4 : 1;
    total += byDay * weekend * (1 + hour / hours);
    until[hour] = total;
  }
  return sessionsFrom(count, (i) => {
    const share = ((i + 0.5) / count) * total;
    let [hour, end] = [0, hours - 1];
    while (hour < end) {
      const middle = (hour + end) >> 1;
      if ((until[middle] ?? 0) < share) hour = middle + 1;
      else end = middle;
    }
    const before = until[hour - 1] ?? 0;
    const within = (share - before) / ((until[hour] ?? total) - before);
    return Math.floor(firstMs + (hour + within) * hourMs);
  });
}

const hourMs = 60 * minuteMs;
/** No sample session takes longer. */
const longestMs = 10 * minuteMs;

function historicSessions(nowMs: number): Session[] {
  return sessionsFrom(45, (i) => nowMs - 30 * dayMs + i * 15 * 60 * minuteMs).map((one) => one.toJSON());
}

function sessionsFrom(count: number, startOf: (i: number) => number): EndedSession[] {
  return Array.from({ length: count }, (_, i) => new EndedSession(i, startOf));
}

/** A session that has ended. There may be a million of them: each holds its number, and all else follows from that. */
export class EndedSession implements Session {
  readonly #i: number;
  readonly #startOf: (i: number) => number;

  constructor(i: number, startOf: (i: number) => number) {
    this.#i = i;
    this.#startOf = startOf;
  }

  get id(): string {
    return sampleId("5e", this.#i);
  }
  get created_at(): string {
    return new Date(this.#startOf(this.#i)).toISOString();
  }
  get updated_at(): string {
    return this.ended_at;
  }
  get ended_at(): string {
    return new Date(this.#startOf(this.#i) + this.duration * 1000).toISOString();
  }
  get avatar_id(): string {
    return this.is_sandbox ? sandboxAvatarId : sampleAvatarId(this.#i % 4);
  }
  get source(): string {
    // One value the document does not name: enumerations grow.
    return this.#i === 17 ? "PHONE" : (sources[this.#i % sources.length] ?? "API");
  }
  get mode(): string {
    return this.#i % 9 === 4 ? "LITE" : "FULL";
  }
  get is_sandbox(): boolean {
    return this.#i % 6 === 5;
  }
  get max_session_duration(): number {
    return newSession.max_session_duration;
  }
  get duration(): number {
    return this.is_sandbox ? 60 : 45 + ((this.#i * 97) % 540);
  }
  get credits_consumed(): number {
    return this.is_sandbox ? 0 : Math.ceil(this.duration / 60) * (this.mode === "FULL" ? 2 : 1);
  }
  get end_reason(): string {
    return this.is_sandbox
      ? "MAX_DURATION_REACHED"
      : (endReasons[Math.floor(this.#i / 2) % endReasons.length] ?? "UNKNOWN");
  }

  /** For the data file. */
  toJSON(): Session {
    const { id, created_at, updated_at, ended_at, avatar_id, source, mode } = this;
    const { is_sandbox, max_session_duration, duration, credits_consumed, end_reason } = this;
    return {
      ...{ id, created_at, updated_at, ended_at, avatar_id, source, mode },
      ...{ is_sandbox, max_session_duration, duration, credits_consumed, end_reason },
    };
  }
}

function activeSessions(nowMs: number): Session[] {
  return Array.from({ length: 4 }, (_, i) => ({
    ...newSession,
    ...sessionAt(45 + i, nowMs - (4 - i) * minuteMs),
    avatar_id: sampleAvatarId(i),
    source: sources[i] ?? "API",
    max_session_duration: 1800,
  }));
}

function sessionAt(i: number, startMs: number) {
  const created_at = new Date(startMs).toISOString();
  return { id: sampleId("5e", i), created_at, updated_at: created_at };
}
