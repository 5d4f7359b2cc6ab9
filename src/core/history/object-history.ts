import type { CommitRecord, Entry } from "../state/index.js";
import type { PastObject, PastState } from "./past-state.js";
import type { HistoryItem } from "./read-history.js";

/** A record that changed an object, and the address that the object had then. */
export interface ObjectRecord {
  readonly is: "record";
  readonly record: CommitRecord;
  readonly own: boolean;
  readonly address: string;
  /** The record before it that changed the object; undefined if there is none. */
  readonly previous: CommitRecord | undefined;
}

/** The records that changed an object, newest first, and what is missing between them; through `state mv` too. */
export async function* objectHistory(
  history: AsyncIterable<HistoryItem>,
  address: string,
): AsyncGenerator<ObjectRecord | Exclude<HistoryItem, { is: "record" }>> {
  let name = address;
  let held: Omit<ObjectRecord, "previous"> | undefined;
  let between: Exclude<HistoryItem, { is: "record" }>[] = [];
  for await (const item of history) {
    if (item.is !== "record") {
      if (held) between.push(item);
      else yield item;
      continue;
    }
    const { record, own } = item;
    if (!Object.hasOwn(record.objects, name)) continue;
    if (held) yield { ...held, previous: record };
    yield* between;
    between = [];
    held = { is: "record", record, own, address: name };
    if (record.moved?.to === name) name = record.moved.from;
  }
  if (held) yield { ...held, previous: undefined };
  yield* between;
}

/** The object that an address means now, as it was in an earlier state: by its id, for it may have been renamed. */
export function pastObject(
  past: PastState,
  address: string,
  now: Entry | undefined,
): { readonly address: string; readonly object: PastObject } | undefined {
  const same = past.objects.get(address);
  const kind = address.slice(0, address.indexOf("."));
  if (now && same?.entry.id !== now.id)
    for (const [other, object] of past.objects)
      if (object.entry.id === now.id && other.startsWith(`${kind}.`)) return { address: other, object };
  return same && { address, object: same };
}
