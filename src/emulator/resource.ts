import type { Account, Dated, Row } from "./account.js";
import type { Behaviour } from "./behaviour.js";
import type { Endpoint } from "./endpoint.js";
import type { Profile } from "./profile.js";

/**
 * A resource of the service: its operations, and what its page of the dashboard can do. The data has it under the name that
 * resources.ts exports it by.
 */
export interface Resource<Stored extends Row = Row, Page extends object = object> {
  /** Those of the document. */
  readonly endpoints: readonly Endpoint[];
  /** Those that deployments of a profile have besides, or in the place of the document's. */
  readonly profiles?: Readonly<Record<Profile, readonly Endpoint[]>>;
  /** What a colleague can do with it. */
  dashboard?(account: Account, sources: Sources): Page;
  /** Its rows in the account of a small company. Their times lie before `nowMs`. */
  sample?(nowMs: number, profile?: Profile): Stored[];
  /** Its rows in a world of a wanted size. */
  readonly numbered?: Numbered<Stored>;
}

/** Rows that differ by their number. */
export interface Numbered<Stored> {
  /** The first of their ids: see `numberedId`. */
  readonly digit: number;
  /** The i-th, from 0. `counts` has the number of rows of each resource. */
  row(
    i: number,
    dated: Dated,
    world: { prompt(i: number): string; readonly counts: Readonly<Record<string, number>> },
  ): Stored;
}

export interface Sources {
  nowMs: () => number;
  newId: () => string;
  behaviour: Readonly<Behaviour>;
}
