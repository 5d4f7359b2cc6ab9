import { endReasons, newSession, type Session } from "./new-session.js";
import { minuteMs, sampleAvatarId, sampleContextId, sampleId, sandboxAvatarId } from "./sample-ids.js";

/** The sessions of the sample account, whose times lie before `nowMs`. */
export function sampleSessions(nowMs: number): Session[] {
  return [...endedSessions(45, nowMs, 15 * 60 * minuteMs), ...activeSessions(nowMs)];
}

const sources = ["API", "EMBED", "APP", "DEMO"];

/** Sessions that have ended, at equal distances up to `nowMs`, in the order of creation: for accounts of any size. */
export function endedSessions(count: number, nowMs: number, everyMs = 3 * minuteMs): Session[] {
  return Array.from({ length: count }, (_, i) => endedSession(i, nowMs - (count - i) * everyMs - longestMs));
}

/** No sample session takes longer. */
const longestMs = 10 * minuteMs;

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
