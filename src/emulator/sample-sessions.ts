import { endReasons, newSession, type Session } from "./new-session.js";
import { dayMs, minuteMs, sampleAvatarId, sampleContextId, sampleId, sandboxAvatarId } from "./sample-ids.js";
import { sampleConversation } from "./transcripts.js";

/** The sessions of the sample account, whose times lie before `nowMs`. */
export function sampleSessions(nowMs: number): Session[] {
  return [...historicSessions(nowMs), ...activeSessions(nowMs)];
}

const sources = ["API", "EMBED", "APP", "DEMO"];

/** Sessions that have ended, at equal distances up to `nowMs`, in the order of creation: for accounts of any size. */
export function endedSessions(count: number, nowMs: number, everyMs = 3 * minuteMs): Session[] {
  return Array.from({ length: count }, (_, i) => endedSession(i, nowMs - (count - i) * everyMs - longestMs));
}

/**
 * The same over the last 60 days, in the order of creation: more of them by day than by night, on weekdays than at the weekend, and in
 * the second month than in the first, so that a report has something to show.
 */
export function spreadSessions(count: number, nowMs: number): Session[] {
  const hours = 60 * 24;
  const hourMs = 60 * minuteMs;
  const firstMs = nowMs - longestMs - hours * hourMs;
  // How many sessions, as a share, begin before the end of each hour.
  const until: number[] = [];
  let total = 0;
  for (let hour = 0; hour < hours; hour++) {
    const at = new Date(firstMs + hour * hourMs);
    const byDay = 1 + 6 * Math.max(0, Math.sin(((at.getUTCHours() - 6) / 14) * Math.PI));
    const weekend = at.getUTCDay() % 6 === 0 ? 0.4 : 1;
    total += byDay * weekend * (1 + hour / hours);
    until.push(total);
  }
  let hour = 0;
  return Array.from({ length: count }, (_, i) => {
    const share = ((i + 0.5) / count) * total;
    while ((until[hour] ?? share) < share) hour++;
    const before = until[hour - 1] ?? 0;
    const within = (share - before) / ((until[hour] ?? total) - before);
    return new SampleSession(i, Math.floor(firstMs + (hour + within) * hourMs));
  }) as unknown[] as Session[];
}

/** No sample session takes longer. */
const longestMs = 10 * minuteMs;

function historicSessions(nowMs: number): Session[] {
  return Array.from({ length: 45 }, (_, i) => {
    const startMs = nowMs - 30 * dayMs + i * 15 * 60 * minuteMs;
    const session = endedSession(i, startMs);
    if (session.mode !== "FULL") return session;
    const said = (i: number) => new Date(startMs + i * 9000).toISOString();
    return { ...session, transcript: sampleConversation.map((line, i) => ({ ...line, at: said(i) })) };
  });
}

function endedSession(i: number, startMs: number): Session {
  const is_sandbox = i % 6 === 5;
  const duration = is_sandbox ? 60 : 45 + ((i * 97) % 540);
  const ended_at = new Date(startMs + duration * 1000).toISOString();
  const mode = i % 9 === 4 ? "LITE" : "FULL";
  return {
    ...newSession,
    ...sessionAt(i, startMs),
    avatar_id: is_sandbox ? sandboxAvatarId : sampleAvatarId(i % 4),
    ...(mode === "FULL" ? { context_id: sampleContextId(i % 5) } : {}),
    // One value the document does not name: enumerations grow.
    source: i === 17 ? "PHONE" : (sources[i % sources.length] ?? "API"),
    mode,
    is_sandbox,
    duration,
    credits_consumed: is_sandbox ? 0 : Math.ceil(duration / 60) * (mode === "FULL" ? 2 : 1),
    updated_at: ended_at,
    ended_at,
    end_reason: is_sandbox
      ? "MAX_DURATION_REACHED"
      : (endReasons[Math.floor(i / 2) % endReasons.length] ?? "UNKNOWN"),
  };
}

/** There may be a million of them: each holds its number and its start, and has its fields while they are read. */
export class SampleSession {
  readonly #i: number;
  readonly #startMs: number;

  constructor(i: number, startMs: number) {
    this.#i = i;
    this.#startMs = startMs;
  }

  /** For the data file. */
  toJSON(): Session {
    return endedSession(this.#i, this.#startMs);
  }

  static {
    // Whoever reads one field reads most of them.
    let last: SampleSession | undefined;
    let fields = endedSession(0, 0);
    for (const name of Object.keys(fields) as (keyof Session)[])
      Object.defineProperty(SampleSession.prototype, name, {
        get(this: SampleSession) {
          if (last !== this) fields = this.toJSON();
          last = this;
          return fields[name];
        },
      });
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
