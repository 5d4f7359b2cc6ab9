import type { Dataset } from "./dataset.js";

/** One customer of the imitated service: what it stores, and what must not be written down anywhere. */
export interface Account {
  readonly name: string;
  readonly world: Dataset;
  /** Secret values by secret id; never in the world, the data file, the log or an answer (§2.6). */
  readonly secretValues: Map<string, string>;
  /** Grows with each change, so that a sorted list is known to be still right. */
  revision: number;
  /** Tells that the world has changed: it is then due to be saved. */
  changed(): void;
}

export function openAccount(name: string, world: Dataset, onChange: () => void): Account {
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
