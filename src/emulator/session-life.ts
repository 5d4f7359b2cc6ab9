/** How sessions go on and end: the data has no clock, so what has happened meanwhile is found out when somebody asks. */
import type { Account } from "./account.js";
import type { Behaviour } from "./behaviour.js";
import type { Session } from "./new-session.js";
import { sessionLists } from "./session-lists.js";

interface Clock {
  account: Account;
  behaviour: Behaviour;
  nowMs: number;
}

/** Ends the sessions whose time is over. Returns the credits that are left, or null if they are not counted. */
export function endSessions({ account, behaviour, nowMs }: Clock): number | null {
  const { active, spent } = sessionLists(account);
  let left = behaviour.credits === null ? null : behaviour.credits - spent;
  for (const session of active) {
    const { atMs, reason } = findEnd(session, left);
    if (left !== null && session.started_at) left -= usage(session, Math.min(atMs, nowMs)).credits_consumed;
    if (nowMs < atMs) continue;
    end(session, atMs, reason);
    account.changed();
  }
  return left;
}

// Assumed: five minutes; how long it really takes is not known.
const idleTimeoutS = 300;

/** When a session ends by itself, and why. */
function findEnd(session: Session, left: number | null) {
  const { created_at, started_at, kept_alive_at, max_session_duration } = session;
  const afterMs = (time: string, seconds: number | null) => Date.parse(time) + (seconds ?? Infinity) * 1000;
  const atMost = {
    atMs: afterMs(started_at ?? created_at, max_session_duration),
    reason: "MAX_DURATION_REACHED",
  };
  if (started_at === undefined) return atMost;
  // Assumed: a session that nobody starts is cleared away when it would have ended.
  if (started_at === null) return { ...atMost, reason: "ZOMBIE_SESSION_REAP" };
  const price = perMinute(session);
  const paidS = left === null || price === 0 ? null : Math.floor(left / price) * 60;
  const ends = [
    atMost,
    { atMs: afterMs(kept_alive_at ?? started_at, idleTimeoutS), reason: "IDLE_TIMEOUT" },
    { atMs: afterMs(started_at, paidS), reason: "NO_CREDITS" },
  ];
  return ends.reduce((first, other) => (other.atMs < first.atMs ? other : first));
}

/** Ends the active sessions of an avatar that is no more. */
export function endSessionsWith({ account, nowMs }: Clock, avatarId: string): void {
  for (const session of sessionLists(account).active)
    if (session.avatar_id === avatarId) end(session, nowMs, "AVATAR_DELETED");
}

/** Ends a session at a time. */
export function end(session: Session, atMs: number, end_reason: string): void {
  const ended_at = new Date(atMs).toISOString();
  Object.assign(session, usage(session, atMs), { ended_at, updated_at: ended_at, end_reason });
}

/**
 * Seconds and credits until a time. Minutes count from the start of the stream, where that is known, and the first of them as soon as
 * it has started.
 */
export function usage(session: Session, untilMs: number): { duration: number; credits_consumed: number } {
  const { created_at, started_at } = session;
  if (started_at === null) return { duration: 0, credits_consumed: 0 };
  const seconds = Math.max(0, Math.floor((untilMs - Date.parse(started_at ?? created_at)) / 1000));
  const minutes = Math.max(Math.ceil(seconds / 60), started_at === undefined ? 0 : 1);
  return { duration: seconds, credits_consumed: minutes * perMinute(session) };
}

/** Assumed: two credits a started minute in mode FULL, one in others (no price is documented); none in the sandbox (§8). */
export function perMinute({ is_sandbox, mode }: Pick<Session, "is_sandbox" | "mode">): number {
  if (is_sandbox) return 0;
  return mode === "FULL" ? 2 : 1;
}
