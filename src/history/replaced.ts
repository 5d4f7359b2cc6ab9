import { isDeepStrictEqual } from "node:util";
import type { CommitRecord, Entry } from "../state/index.js";
import type { Knowledge } from "./known-commits.js";
import type { HistoryItem } from "./read-history.js";

/** A recorded value that a plan replaces. */
export interface Replacement {
  readonly address: string;
  /** A field of the object, or `protect`. Absent: the object is no longer declared. */
  readonly field?: string;
  /** The value that an entry records; undefined: the object is not managed. */
  valueIn(entry: Entry | undefined): unknown;
  /** Whether the plan brings back what an entry records. */
  restores(entry: Entry | undefined): boolean;
}

/** A replaced value of which the checkout may not know. */
export interface Replaced {
  readonly replacement: Replacement;
  /** The record that set the value. */
  readonly record: CommitRecord;
  readonly known: Exclude<Knowledge, "known">;
  /** What comes back was applied earlier; otherwise it is new. */
  readonly isOlder: boolean;
}

/** Records that are read: each is a request to some stores. */
const mostRecords = 50;

/**
 * Finds the recorded values that are replaced although the checkout does not contain the commit from which they were
 * applied. Each value is followed back, through renames, until the checkout knows what was applied: then what stands in
 * the files is an edit of that. Records that are lost are not guessed at.
 */
export async function replacedUnknown(
  history: AsyncIterable<HistoryItem>,
  replacements: readonly Replacement[],
  knows: (record: CommitRecord) => Promise<Knowledge>,
): Promise<Replaced[]> {
  const found: Replaced[] = [];
  let open: Followed[] = replacements.map((replacement) => ({ replacement, name: replacement.address }));
  let read = 0;
  if (open.length === 0) return found;
  for await (const item of history) {
    if (item.is === "record" && item.own) {
      const next = await Promise.all(open.map((one) => follow(one, item.record, knows)));
      found.push(...next.flatMap((one) => ("isOlder" in one ? [one] : [])));
      open = next.flatMap((one) => ("name" in one ? [one] : []));
    }
    if (open.length === 0 || ++read >= mostRecords) break;
  }
  return [
    ...found,
    ...open.flatMap(({ replacement, set }) => (set ? [{ replacement, ...set, isOlder: false }] : [])),
  ];
}

interface Followed {
  readonly replacement: Replacement;
  /** The address that the object had then. */
  readonly name: string;
  /** Once the record is found that set the value. */
  readonly set?: Pick<Replaced, "record" | "known">;
}

async function follow(
  one: Followed,
  record: CommitRecord,
  knows: (record: CommitRecord) => Promise<Knowledge>,
): Promise<Followed | Replaced | Record<never, never>> {
  const { replacement, name } = one;
  if (!Object.hasOwn(record.objects, name)) return one;
  const former = record.moved?.to === name ? record.moved.from : name;
  const before = record.objects[former]?.before;
  const earlier = { ...one, name: former };
  if (isDeepStrictEqual(replacement.valueIn(before), replacement.valueIn(record.objects[name]?.after)))
    return earlier;
  const known = await knows(record);
  if (known === "known") return one.set ? { replacement, ...one.set, isOlder: false } : {};
  const set = one.set ?? { record, known };
  return replacement.restores(before) ? { replacement, ...set, isOlder: true } : { ...earlier, set };
}
