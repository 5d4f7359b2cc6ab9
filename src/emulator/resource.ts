import type { Account, AccountData, Dated, Row } from "./account.js";
import type { Behaviour } from "./behaviour.js";
import type { Endpoint } from "./endpoint.js";
import { EmulatorInputError } from "./input-error.js";
import { type Shape, strictRecord } from "./shape.js";

/** A resource of the service: its data, its operations, and what its page of the dashboard can do. */
export interface Resource<Stored extends Row = Row, Page extends object = object> {
  /** Its key in the data and in the data file. */
  readonly name: string;
  /** A complete row, as in the data file. */
  readonly stored: Shape<Stored>;
  readonly endpoints: readonly Endpoint[];
  /** What a colleague can do with it. */
  dashboard?(account: Account, sources: Sources): Page;
  /** The same as JSON, by method name. */
  readonly edits?: Readonly<Record<string, Edit<Page>>>;
  /** Its rows in the account of a small company. Their times lie before `nowMs`. */
  sample?(nowMs: number): Stored[];
  /** Its rows in a world of a wanted size. */
  readonly numbered?: Numbered<Stored>;
}

/** Rows that are told apart by their number. */
export interface Numbered<Stored> {
  /** The first of their ids: see `numberedId`. */
  readonly digit: number;
  /** The i-th, from 0. `counts` tells how many rows each resource has. */
  row(
    i: number,
    dated: Dated,
    world: { prompt(i: number): string; readonly counts: Readonly<Record<string, number>> },
  ): Stored;
}

/** An edit as JSON: its fields, and the call it makes. */
export interface Edit<Page> {
  readonly fields: Readonly<Record<string, Shape<unknown>>>;
  readonly required: readonly string[];
  run(page: Page, fields: Readonly<Record<string, unknown>>): unknown;
}

export interface Sources {
  nowMs: () => number;
  newId: () => string;
  behaviour: Readonly<Behaviour>;
}

/** The rows of a resource in a dataset. */
export function rowsOf<Stored extends Row>(name: string): (world: AccountData) => Stored[] {
  return (world) => {
    world[name] ??= [];
    return world[name] as Stored[];
  };
}

/** An object whose fields are all required. */
export function complete<F extends Record<string, Shape<unknown>>>(fields: F) {
  return strictRecord<F, keyof F & string>(fields, ...Object.keys(fields));
}

/** A timestamp in the format of the data. */
export const time: Shape<string> = (value, at, found) => {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return value;
  found({ at, message: "must be a time such as 2025-01-31T12:00:00.000Z" });
  return undefined;
};

/** The row with that id. Throws EmulatorInputError. */
export function rowById<Stored extends Row>(rows: readonly Stored[], id: string, what: string): Stored {
  const row = rows.find((candidate) => candidate.id === id);
  if (!row) throw new EmulatorInputError("edit", `there is no ${what} ${id}`);
  return row;
}
