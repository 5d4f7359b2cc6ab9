/** One stored object. */
export interface Row {
  id: string;
}

/** Times are ISO 8601 in UTC with milliseconds; the answer may show more or fewer digits. */
export interface Dated extends Row {
  created_at: string;
  updated_at: string;
}

/** What an account stores (§2): rows by the name of their resource, in the order of creation. */
export type World = Record<string, Row[]>;

/** One customer of the imitated service: what it stores, and what must not be written down anywhere. */
export interface Account {
  readonly name: string;
  readonly world: World;
  /** Secret values by secret id; never in the world, the data file, the log or an answer (§2.6). */
  readonly secretValues: Map<string, string>;
  /** Grows with each change, so that a sorted list is known to be still right. */
  revision: number;
  /** Tells that the world has changed: it is then due to be saved. */
  changed(): void;
}

export function openAccount(name: string, world: World, onChange: () => void): Account {
  const account: Account = {
    name,
    world,
    secretValues: new Map(),
    revision: 0,
    changed() {
      account.revision += 1;
      onChange();
    },
  };
  return account;
}
