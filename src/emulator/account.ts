import { EmulatorInputError } from "./input-error.js";

/** A stored object. */
export interface Row {
  id: string;
}

/** A row whose times are in ISO 8601 (UTC, with milliseconds). Responses may show more or fewer digits. */
export interface Dated extends Row {
  created_at: string;
  updated_at: string;
}

/** An account's rows by resource name (§2), in creation order. */
export type AccountData = Record<string, Row[]>;

/** Session of a token, kept only in memory. */
export interface SessionToken {
  sessionId: string;
  /** Values of the placeholders in the context's texts. */
  variables: Readonly<Record<string, string>>;
  /** URL of the client's LiveKit room, if it has one. */
  room: string | undefined;
}

/** An account of the emulated service: its data, and secrets that no response shows. */
export interface Account {
  readonly world: AccountData;
  /** Secret values, by secret id. The values never appear in the data, the log or a response (§2.6). */
  readonly secretValues: Map<string, string>;
  /** Sessions by token, hidden like secret values. */
  readonly sessionTokens: Map<string, SessionToken>;
  /** Increases with each change, which invalidates sorted lists. */
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

/** Returns a function that finds the rows of a resource in a dataset. */
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
