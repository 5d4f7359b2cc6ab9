import type { Account, Dated, Row, World } from "./account.js";
import type { Endpoint } from "./endpoint.js";
import { EmulatorInputError } from "./input-error.js";
import { type Shape, strictRecord } from "./shape.js";

/** One resource of the service: what is stored of it, its operations, and what its page of the dashboard can do. */
export interface Resource<Stored extends Row = Row, Page extends object = object> {
  /** In the world, in the data file. */
  readonly name: string;
  /** A whole row, as the data file has it. */
  readonly stored: Shape<Stored>;
  readonly endpoints: readonly Endpoint[];
  /** What a colleague can do with it. */
  dashboard?(account: Account, sources: Sources): Page;
  /** The same as JSON, by the name of the method. */
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

/** An edit as JSON: its fields, and the call it means. */
export interface Edit<Page> {
  readonly fields: Readonly<Record<string, Shape<unknown>>>;
  readonly required: readonly string[];
  run(page: Page, fields: Readonly<Record<string, unknown>>): unknown;
}

export interface Sources {
  nowMs: () => number;
  newId: () => string;
}

/** The rows of a resource in a world. */
export function rowsOf<Stored extends Row>(name: string): (world: World) => Stored[] {
  return (world) => {
    world[name] ??= [];
    return world[name] as Stored[];
  };
}

/** An object of which every field must be there. */
export function complete<F extends Record<string, Shape<unknown>>>(fields: F) {
  return strictRecord<F, keyof F & string>(fields, ...Object.keys(fields));
}

/** A moment as the world keeps it. */
export const time: Shape<string> = (value, at, found) => {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return value;
  found({ at, message: "must be a time such as 2025-01-31T12:00:00.000Z" });
  return undefined;
};

/** The row of that id. Throws EmulatorInputError. */
export function rowById<Stored extends Row>(rows: readonly Stored[], id: string, what: string): Stored {
  const row = rows.find((one) => one.id === id);
  if (!row) throw new EmulatorInputError("edit", `there is no ${what} ${id}`);
  return row;
}
