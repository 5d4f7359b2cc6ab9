import { type Account, rowsNamed } from "./account.js";
import type { Session } from "./new-session.js";

const rowsIn = rowsNamed<Session>("sessions");

/** An account's sessions, each part in the order of creation, and the credits of those that were started here and have ended. */
export function sessionLists(account: Account) {
  const rows = rowsIn(account.world);
  const historic = rows.filter(({ ended_at }) => ended_at !== null);
  const started = historic.filter(({ started_at }) => started_at);
  return {
    active: rows.filter(({ ended_at }) => ended_at === null),
    historic,
    spent: started.reduce((sum, { credits_consumed }) => sum + credits_consumed, 0),
  };
}
