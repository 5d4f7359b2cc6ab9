import type { Account, Row, TimestampedRow } from "./account.js";
import type { Behavior } from "./behavior.js";
import type { Endpoint } from "./endpoint.js";
import type { Profile } from "./profile.js";

/**
 * A service resource: its endpoints and the edits on its dashboard page. Its name in resources.ts is its key in the
 * account data.
 */
export interface EmulatedResource<Stored extends Row = Row, Page extends object = object> {
  /** Documented endpoints. */
  readonly endpoints: readonly Endpoint[];
  /** Endpoints that a profile adds or replaces. */
  readonly profiles?: Readonly<Record<Profile, readonly Endpoint[]>>;
  /** Returns the edits that the resource's dashboard page offers. */
  openPage?(account: Account, sources: Sources): Page;
  /** Creates the resource's rows for the sample account of a small company, with timestamps before `nowMs`. */
  createSample?(nowMs: number, profile?: Profile): Stored[];
  /** Generates the resource's rows for a dataset of any size. */
  readonly rowGenerator?: RowGenerator<Stored>;
}

export interface RowGenerator<Stored> {
  /** First digit of the rows' ids (see `createNumberedId`). */
  readonly digit: number;
  /** Creates row `i`, counted from 0. `counts` has the number of rows of each resource. */
  row(
    i: number,
    dated: TimestampedRow,
    world: { prompt(i: number): string; readonly counts: Readonly<Record<string, number>> },
  ): Stored;
}

export interface Sources {
  nowMs: () => number;
  newId: () => string;
  behavior: Readonly<Behavior>;
}
