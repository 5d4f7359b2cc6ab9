import { isDeepStrictEqual } from "node:util";
import { listNames } from "../../base/text/index.js";
import type { CommitRecord, StateEntry } from "../state/index.js";
import type { CurrentState, HistoryItem } from "./read-history.js";
import { openTexts, type RecordedTexts } from "./recorded-texts.js";

export interface PastState {
  readonly serial: number;
  /** Record with this serial, or undefined if it is lost. */
  readonly record: CommitRecord | undefined;
  /** Managed objects by address. */
  readonly objects: ReadonlyMap<string, StateEntry>;
  /** Addresses that lost records may have changed, each with an explanation for the user. */
  readonly unknown: ReadonlyMap<string, string>;
  /** Texts from the whole history. */
  readonly texts: RecordedTexts;
}

/** Entry with the serial that changed it. */
interface EntryVersion {
  readonly entry: StateEntry | undefined;
  readonly serial: number;
}

/**
 * Reconstructs the state at a serial. Each record contains its objects before and after the change, so an entry can be
 * taken from the last record before the serial or from the first one after it.
 */
export async function findPastState(
  history: AsyncIterable<HistoryItem>,
  state: CurrentState,
  serial: number,
): Promise<PastState> {
  /** Entries by address, each from before its first change after `serial`, or else the current entry. */
  const later = new Map<string, EntryVersion>(
    Object.entries(state.objects).map(([address, entry]) => [address, { entry, serial: state.serial + 1 }]),
  );
  const earlier = new Map<string, EntryVersion>();
  /** Changes to renamed objects, by their previous address. */
  const renamed = new Map<string, EntryVersion>();
  const lost: [from: number, to: number][] = [];
  const texts = openTexts();
  let record: CommitRecord | undefined;
  for await (const item of history) {
    if (item.is === "missing") lost.push([item.from, item.to]);
    if (item.is === "unreadable" && item.serial !== undefined) lost.push([item.serial, item.serial]);
    if (item.is === "record") texts.add(item.record);
    if (item.is !== "record" || !item.own) continue;
    if (item.record.serial === serial) record = item.record;
    for (const [address, { before, after }] of Object.entries(item.record.objects)) {
      if (item.record.serial > serial) later.set(address, { entry: before, serial: item.record.serial });
      else if (!renamed.has(address) && !earlier.has(address))
        earlier.set(address, { entry: after, serial: item.record.serial });
    }
    const { moved, serial: at } = item.record;
    const mover = moved && at <= serial ? (renamed.get(moved.to) ?? earlier.get(moved.to)) : undefined;
    if (moved && mover) {
      renamed.delete(moved.to);
      renamed.set(moved.from, mover);
    }
  }
  const isWhole = (after: number, upTo: number) => !lost.some(([from, to]) => from <= upTo && to > after);
  const objects = new Map<string, StateEntry>();
  const unknown = new Map<string, string>();
  for (const address of new Set([...later.keys(), ...earlier.keys()])) {
    const [next, last] = [later.get(address), earlier.get(address)];
    const isCertainNext = isWhole(serial, (next?.serial ?? state.serial + 1) - 1);
    const isCertainLast = last !== undefined && isWhole(last.serial, serial);
    if (!isCertainNext && !isCertainLast && !isSameRecord(next?.entry, last?.entry)) {
      unknown.set(address, `History records are missing (serials ${describeRanges(lost)}).`);
      continue;
    }
    const entry = isCertainNext ? next?.entry : last?.entry;
    if (entry) objects.set(address, entry);
  }
  return { serial, record, objects, unknown, texts };
}

/** Returns whether two entries are equal, apart from observed timestamps. */
function isSameRecord(first: StateEntry | undefined, second: StateEntry | undefined): boolean {
  const withoutSyncTime = (entry: StateEntry | undefined) => entry && { ...entry, inSyncAt: undefined };
  return isDeepStrictEqual(withoutSyncTime(first), withoutSyncTime(second));
}

function describeRanges(ranges: readonly (readonly [from: number, to: number])[]): string {
  return listNames(ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)));
}

/** Record that changed an object, and the object's address at that time. */
export interface ObjectRecord {
  readonly is: "record";
  readonly record: CommitRecord;
  readonly own: boolean;
  readonly address: string;
  /** Previous record that changed the object, if any. */
  readonly previous: CommitRecord | undefined;
}

/**
 * Yields the records that changed an object, and the gaps between them, newest first. Follows renames by `state mv`.
 */
export async function* readObjectHistory(
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

/**
 * Finds an object in an earlier state by its current address. Compares ids, because the object may have been renamed.
 */
export function findPastObject(
  past: PastState,
  address: string,
  now: StateEntry | undefined,
): { readonly address: string; readonly entry: StateEntry } | undefined {
  const same = past.objects.get(address);
  const kind = address.slice(0, address.indexOf("."));
  if (now && same?.id !== now.id)
    for (const [other, entry] of past.objects)
      if (entry.id === now.id && other.startsWith(`${kind}.`)) return { address: other, entry };
  return same && { address, entry: same };
}
