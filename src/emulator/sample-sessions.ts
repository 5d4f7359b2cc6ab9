import { endReasons, type Session, sessionDefaults } from "./new-session.js";
import {
  createSampleAvatarId,
  createSampleContextId,
  createSampleId,
  minuteMs,
  sandboxAvatarId,
} from "./sample-ids.js";

/** Creates the sample account's sessions, with timestamps before `nowMs`. */
export function createSampleSessions(nowMs: number): Session[] {
  return [...createEndedSessions(45, nowMs, 15 * 60 * minuteMs), ...createActiveSessions(nowMs)];
}

const sources = ["API", "EMBED", "APP", "DEMO"];

/** Creates ended sessions for accounts of any size, at equal intervals up to `nowMs`, in creation order. */
export function createEndedSessions(count: number, nowMs: number, everyMs = 3 * minuteMs): Session[] {
  return Array.from({ length: count }, (_, i) =>
    createEndedSession(i, nowMs - (count - i) * everyMs - maxDurationMs),
  );
}

const maxDurationMs = 10 * minuteMs;

function createEndedSession(i: number, startMs: number): Session {
  const is_sandbox = i % 6 === 5;
  const duration = is_sandbox ? 60 : 45 + ((i * 97) % 540);
  const ended_at = new Date(startMs + duration * 1000).toISOString();
  const mode = i % 9 === 4 ? "LITE" : "FULL";
  return {
    ...sessionDefaults,
    ...createDated(i, startMs),
    avatar_id: is_sandbox ? sandboxAvatarId : createSampleAvatarId(i % 4),
    ...(mode === "FULL" ? { context_id: createSampleContextId(i % 5) } : {}),
    // One session has an undocumented source, because the service may add sources.
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

function createActiveSessions(nowMs: number): Session[] {
  return Array.from({ length: 4 }, (_, i) => ({
    ...sessionDefaults,
    ...createDated(45 + i, nowMs - (4 - i) * minuteMs),
    avatar_id: createSampleAvatarId(i),
    source: sources[i] ?? "API",
    max_session_duration: 1800,
  }));
}

function createDated(i: number, startMs: number) {
  const created_at = new Date(startMs).toISOString();
  return { id: createSampleId("5e", i), created_at, updated_at: created_at };
}
