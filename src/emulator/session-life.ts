/** Ends sessions as time passes. No timers run, so each request first applies the changes since the last one. */
import type { Account } from "./account.js";
import type { Behavior } from "./behavior.js";
import type { Session } from "./new-session.js";
import { listSessions } from "./session-lists.js";

interface Clock {
  account: Account;
  behavior: Behavior;
  nowMs: number;
}

/** Ends expired sessions. Returns the remaining credits, or null if they are not counted. */
export function endSessions({ account, behavior, nowMs }: Clock): number | null {
  const { active, spent } = listSessions(account);
  let left = behavior.credits === null ? null : behavior.credits - spent;
  for (const session of active) {
    const { atMs, reason } = findEnd(session, left);
    if (left !== null && session.started_at)
      left -= computeUsage(session, Math.min(atMs, nowMs)).credits_consumed;
    if (nowMs < atMs) continue;
    endSession(session, atMs, reason);
    account.changed();
  }
  return left;
}

// Assumption: five minutes. The actual timeout is unknown.
const idleTimeoutS = 300;

/** Returns when and why a session will end automatically. */
function findEnd(session: Session, left: number | null) {
  const { created_at, started_at, kept_alive_at, max_session_duration } = session;
  const addSeconds = (time: string, seconds: number | null) =>
    Date.parse(time) + (seconds ?? Infinity) * 1000;
  const atMaximum = {
    atMs: addSeconds(started_at ?? created_at, max_session_duration),
    reason: "MAX_DURATION_REACHED",
  };
  if (started_at === undefined) return atMaximum;
  // Assumption: a session that never starts is removed at the time it would have ended.
  if (started_at === null) return { ...atMaximum, reason: "ZOMBIE_SESSION_REAP" };
  const price = getPricePerMinute(session);
  const paidS = left === null || price === 0 ? null : Math.floor(left / price) * 60;
  const ends = [
    atMaximum,
    { atMs: addSeconds(kept_alive_at ?? started_at, idleTimeoutS), reason: "IDLE_TIMEOUT" },
    { atMs: addSeconds(started_at, paidS), reason: "NO_CREDITS" },
  ];
  return ends.reduce((first, other) => (other.atMs < first.atMs ? other : first));
}

/** Ends the active sessions of a deleted avatar. */
export function endSessionsWith({ account, nowMs }: Clock, avatarId: string): void {
  for (const session of listSessions(account).active)
    if (session.avatar_id === avatarId) endSession(session, nowMs, "AVATAR_DELETED");
}

export function endSession(session: Session, atMs: number, end_reason: string): void {
  const ended_at = new Date(atMs).toISOString();
  Object.assign(session, computeUsage(session, atMs), { ended_at, updated_at: ended_at, end_reason });
}

/**
 * Computes the seconds and credits used until `untilMs`. Minutes are counted from the start of the stream, if
 * known, and charged as soon as they begin.
 */
export function computeUsage(
  session: Session,
  untilMs: number,
): { duration: number; credits_consumed: number } {
  const { created_at, started_at } = session;
  if (started_at === null) return { duration: 0, credits_consumed: 0 };
  const seconds = Math.max(0, Math.floor((untilMs - Date.parse(started_at ?? created_at)) / 1000));
  const minutes = Math.max(Math.ceil(seconds / 60), started_at === undefined ? 0 : 1);
  return { duration: seconds, credits_consumed: minutes * getPricePerMinute(session) };
}

/**
 * Returns the credits per minute: 0 in the sandbox (§8). Assumption: 2 in mode FULL, 1 in other modes (undocumented).
 */
export function getPricePerMinute({ is_sandbox, mode }: Pick<Session, "is_sandbox" | "mode">): number {
  if (is_sandbox) return 0;
  return mode === "FULL" ? 2 : 1;
}
