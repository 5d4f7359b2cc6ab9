import { type Account, rowsNamed } from "./account.js";
import type { Session } from "./new-session.js";
import { SampleSession } from "./sample-sessions.js";

/** An account's sessions, each part in the order of creation. */
export interface SessionLists {
  readonly active: readonly Session[];
  readonly historic: readonly Session[];
}

interface KnownLists extends SessionLists {
  readonly rows: readonly Session[];
  readonly basis: string;
}

const rowsIn = rowsNamed<Session>("sessions");
const knownLists = new WeakMap<Account, KnownLists>();

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
  for (const row of rows)
    (row instanceof SampleSession || row.ended_at !== null ? historic : active).push(row);
  const lists = { active, historic, rows, basis };
  knownLists.set(account, lists);
  return lists;
}
