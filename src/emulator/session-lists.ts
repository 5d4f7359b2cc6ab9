import { type Account, createRowGetter } from "./account.js";
import type { Session } from "./new-session.js";

const getSessions = createRowGetter<Session>("sessions");

/**
 * Returns an account's active and ended sessions in creation order, and the credits spent by ended sessions that had a
 * stream.
 */
export function listSessions(account: Account) {
  const rows = getSessions(account.world);
  const historic = rows.filter(({ ended_at }) => ended_at !== null);
  const started = historic.filter(({ started_at }) => started_at);
  return {
    active: rows.filter(({ ended_at }) => ended_at === null),
    historic,
    spent: started.reduce((sum, { credits_consumed }) => sum + credits_consumed, 0),
  };
}
