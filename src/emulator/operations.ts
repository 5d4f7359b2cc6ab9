import type * as z from "zod";
import { type AccountData, type Row, rowsNamed } from "./account.js";
import { type Call, type Endpoint, readBody, readId, showRow, timestamp } from "./endpoint.js";
import { showPage } from "./pages.js";
import { notFound } from "./refusal.js";
import { uuid } from "./shape.js";

/** Some are never updated. */
interface Made extends Row {
  created_at: string;
  updated_at?: string;
}

/** How a resource differs from most. */
interface Differences<Stored> {
  /** Default: those of the account. */
  rows?: (world: AccountData) => Stored[];
  /** A row in a response; default: with all its fields. */
  show?: (row: Stored, call: Call) => unknown;
  /** The name of the id in refusals, if it must be a UUID. */
  uuid?: string;
}

/**
 * The usual operations of a resource, each of which it may have: a function makes the endpoint. `name` is its path below
 * `/v1` and its key in the data, `title` what is not found.
 */
export function operations<Stored extends Made>(
  name: string,
  title: string,
  {
    rows = rowsNamed<Stored>(name),
    show = (row, call) => showRow(row, call),
    uuid: idName,
  }: Differences<Stored> = {},
) {
  const path = `/v1/${name}`;
  const onePath = `${path}/:id`;
  const find = (call: Call): Stored => {
    const id = idName === undefined ? call.id : readId(call, idName, uuid);
    const row = rows(call.account.world).find((candidate) => candidate.id === id);
    if (!row) throw notFound(title);
    return row;
  };
  return {
    list: (showEntry = show): Endpoint => ({
      method: "GET",
      path,
      handle: (call) => showPage(call, name, rows(call.account.world), (row) => showEntry(row, call)),
    }),
    /** The list as a plain array, newest first. */
    listAll: (showEntry = show): Endpoint => ({
      method: "GET",
      path,
      handle: (call) =>
        rows(call.account.world)
          .toReversed()
          .map((row) => showEntry(row, call)),
    }),
    read: (): Endpoint => ({ method: "GET", path: onePath, handle: (call) => show(find(call), call) }),
    /** `make` returns the fields of the new row, or throws a Refusal. */
    create: <Sent>(
      body: z.ZodType<Sent>,
      make: (sent: Sent, call: Call) => Omit<Stored, keyof Made>,
    ): Endpoint => ({
      method: "POST",
      path,
      handle(call) {
        const sent = readBody(call, body);
        const at = timestamp(call);
        const row = { id: call.newId(), created_at: at, updated_at: at, ...make(sent, call) } as Stored;
        rows(call.account.world).push(row);
        call.account.changed();
        return show(row, call);
      },
    }),
    /** `change` changes the row, by default by the fields that were sent, or throws a Refusal. */
    update: <Sent extends object>(
      body: z.ZodType<Sent>,
      change: (row: Stored, sent: Sent, call: Call) => void = (row, sent) => Object.assign(row, sent),
    ): Endpoint => ({
      method: "PATCH",
      path: onePath,
      handle(call) {
        const row = find(call);
        change(row, readBody(call, body), call);
        // Assumed: a PATCH updates updated_at, even if it changes nothing (§2.3 and §2.5 do not say).
        row.updated_at = timestamp(call);
        call.account.changed();
        return show(row, call);
      },
    }),
    /** `onRemove` does what follows from it. */
    remove: (onRemove: (row: Stored, call: Call) => void = () => {}): Endpoint => ({
      method: "DELETE",
      path: onePath,
      handle(call) {
        const stored = rows(call.account.world);
        const [row] = stored.splice(stored.indexOf(find(call)), 1);
        if (row) onRemove(row, call);
        call.account.changed();
        return null;
      },
    }),
  };
}
