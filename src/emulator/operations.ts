import type * as z from "zod";
import { type AccountData, createRowGetter, type Row } from "./account.js";
import { type Endpoint, type EndpointCall, formatCallTime, readBody, readId, showRow } from "./endpoint.js";
import { showPage } from "./pages.js";
import { createNotFound } from "./refusal.js";
import { uuid } from "./shape.js";

/** A row with its creation time. Some resources have no `updated_at`. */
interface CreatedRow extends Row {
  created_at: string;
  updated_at?: string;
}

/** Options for a resource whose endpoints differ from the usual ones. */
interface EndpointOptions<Stored> {
  /** Returns the rows. Default: the account's rows. */
  getRows?: (world: AccountData) => Stored[];
  /** Formats a row in a response. Default: all fields. */
  show?: (row: Stored, call: EndpointCall) => unknown;
  /** Name of the id in error messages. Set only if the id must be a UUID. */
  uuid?: string;
}

/**
 * Creates a resource's usual endpoints. `name` is its path below `/v1` and its key in the data. `title` is its name in
 * "not found" errors.
 */
export function createOperations<Stored extends CreatedRow>(
  name: string,
  title: string,
  {
    getRows = createRowGetter<Stored>(name),
    show = (row, call) => showRow(row, call),
    uuid: idName,
  }: EndpointOptions<Stored> = {},
) {
  const path = `/v1/${name}`;
  const onePath = `${path}/:id`;
  const find = (call: EndpointCall): Stored => {
    const id = idName === undefined ? call.id : readId(call, idName, uuid);
    const row = getRows(call.account.world).find((candidate) => candidate.id === id);
    if (!row) throw createNotFound(title);
    return row;
  };
  return {
    list: (showEntry = show): Endpoint => ({
      method: "GET",
      path,
      handle: (call) => showPage(call, name, getRows(call.account.world), (row) => showEntry(row, call)),
    }),
    /** Lists rows as a plain array, newest first. */
    listAll: (showEntry = show): Endpoint => ({
      method: "GET",
      path,
      handle: (call) =>
        getRows(call.account.world)
          .toReversed()
          .map((row) => showEntry(row, call)),
    }),
    read: (): Endpoint => ({ method: "GET", path: onePath, handle: (call) => show(find(call), call) }),
    /** Returns the endpoint that creates a row. `make` returns the new row's fields, or throws a Refusal. */
    create: <Sent>(
      body: z.ZodType<Sent>,
      make: (sent: Sent, call: EndpointCall) => Omit<Stored, keyof CreatedRow>,
    ): Endpoint => ({
      method: "POST",
      path,
      handle(call) {
        const sent = readBody(call, body);
        const at = formatCallTime(call);
        const row = { id: call.newId(), created_at: at, updated_at: at, ...make(sent, call) } as Stored;
        getRows(call.account.world).push(row);
        call.account.changed();
        return show(row, call);
      },
    }),
    /**
     * Returns the endpoint that updates a row. `change` defaults to assigning the sent fields, and may throw a Refusal.
     */
    update: <Sent extends object>(
      body: z.ZodType<Sent>,
      change: (row: Stored, sent: Sent, call: EndpointCall) => void = (row, sent) => Object.assign(row, sent),
    ): Endpoint => ({
      method: "PATCH",
      path: onePath,
      handle(call) {
        const row = find(call);
        change(row, readBody(call, body), call);
        // Assumption: PATCH updates `updated_at` even if nothing changes (unspecified in §2.3 and §2.5).
        row.updated_at = formatCallTime(call);
        call.account.changed();
        return show(row, call);
      },
    }),
    /** Returns the endpoint that removes a row. `onRemove` updates other data that depends on the row. */
    remove: (onRemove: (row: Stored, call: EndpointCall) => void = () => {}): Endpoint => ({
      method: "DELETE",
      path: onePath,
      handle(call) {
        const stored = getRows(call.account.world);
        const [row] = stored.splice(stored.indexOf(find(call)), 1);
        if (row) onRemove(row, call);
        call.account.changed();
        return null;
      },
    }),
  };
}
