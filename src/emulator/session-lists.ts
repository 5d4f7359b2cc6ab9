import { type Account, rowsNamed } from "./account.js";
import type { Session } from "./new-session.js";

/** An account's sessions, each part in the order of creation. */
interface SessionLists {
  readonly active: readonly Session[];
  readonly historic: readonly Session[];
  /** The credits that those consumed which were started here, and have ended. */
  readonly spent: number;
  /** What they were made of. */
  readonly rows: readonly Session[];
  readonly basis: string;
}

const rowsIn = rowsNamed<Session>("sessions");
const knownLists = new WeakMap<Account, SessionLists>();

/**
 * Divided once and kept until the account changes: each page of a hundred thousand sessions would go through all of
 * them. The data can also be edited in place; a session that was ended or removed so is noticed.
 */
export function sessionLists(account: Account): SessionLists {
  const rows = rowsIn(account.world);
  const basis = `${account.revision} ${rows.length}`;
  const known = knownLists.get(account);
  const isValid = known?.rows === rows && known.basis === basis;
  if (isValid && known.active.every(({ ended_at }) => ended_at === null)) return known;
  const active: Session[] = [];
  const historic: Session[] = [];
  let spent = 0;
  for (const row of rows) {
    (row.ended_at === null ? active : historic).push(row);
    if (row.started_at && row.ended_at !== null) spent += row.credits_consumed;
  }
  const lists = { active, historic, spent, rows, basis };
  knownLists.set(account, lists);
  return lists;
}
