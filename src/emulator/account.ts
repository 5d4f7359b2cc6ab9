import { EmulatorInputError } from "./input-error.js";

export interface Row {
  id: string;
}

/** A row with timestamps in ISO 8601 (UTC, with milliseconds). Responses may use a different precision. */
export interface TimestampedRow extends Row {
  created_at: string;
  updated_at: string;
}

/** An account's rows by resource name (§2), in creation order. */
export type AccountData = Record<string, Row[]>;

/** Session that a token gives access to. Kept only in memory. */
export interface SessionToken {
  sessionId: string;
  /** Values for the placeholders in the context's opening text. */
  variables: Readonly<Record<string, string>>;
  /** URL of the client's own LiveKit server, if it sent one. */
  room: string | undefined;
}

/** An account of the emulated service: its data, and secrets that never appear in responses. */
export interface Account {
  readonly world: AccountData;
  /** Secret values, by secret id. The values never appear in the data, the log or a response (§2.6). */
  readonly secretValues: Map<string, string>;
  /** Sessions by token. Like secret values, tokens never appear in the data or the log. */
  readonly sessionTokens: Map<string, SessionToken>;
  /** Incremented on each change, to invalidate cached list orders. */
  revision: number;
  /** Called after every data change. */
  changed(): void;
}

export function openAccount(world: AccountData): Account {
  const account: Account = {
    world,
    secretValues: new Map(),
    sessionTokens: new Map(),
    revision: 0,
    changed() {
      account.revision += 1;
    },
  };
  return account;
}

/** Creates a getter for a resource's rows in an account. */
export function createRowGetter<Stored extends Row>(name: string): (world: AccountData) => Stored[] {
  return (world) => {
    world[name] ??= [];
    return world[name] as Stored[];
  };
}

/** Finds a row by id. Throws EmulatorInputError if it does not exist. */
export function findRow<Stored extends Row>(rows: readonly Stored[], id: string, what: string): Stored {
  const row = rows.find((candidate) => candidate.id === id);
  if (!row) throw new EmulatorInputError("edit", `there is no ${what} ${id}`);
  return row;
}
