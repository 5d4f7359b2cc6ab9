import { isDeepStrictEqual } from "node:util";
import { type CommitRecord, decodeRecord, type State, type UnreadableRecord } from "../state/index.js";

export type HistoryItem =
  | {
      readonly is: "record";
      readonly record: CommitRecord;
      /** Whether the record belongs to the current state's lineage. */
      readonly own: boolean;
    }
  /** Range of serials in the current lineage without a record. The records were lost, or none were kept at that time. */
  | { readonly is: "missing"; readonly from: number; readonly to: number }
  | {
      readonly is: "unreadable";
      readonly why: UnreadableRecord["unreadable"];
      readonly serial?: number | undefined;
    };

export type CurrentState = Pick<State, "lineage" | "serial" | "objects">;

/** Reads a store's records, newest first, and reports gaps. Keeps only one record in memory. */
export async function* readHistory(
  texts: AsyncIterable<string>,
  state: CurrentState | undefined,
): AsyncGenerator<HistoryItem> {
  let lineage = state?.lineage;
  /** Expected serial of the next record. */
  let expected = state?.serial;
  for await (const item of dropDuplicates(texts)) {
    if ("unreadable" in item) {
      const { unreadable: why, serial } = item;
      if (expected !== undefined && serial === expected) expected -= 1;
      yield { is: "unreadable", why, serial };
      continue;
    }
    // Without a state, the newest record determines the lineage.
    lineage ??= item.lineage;
    const own = item.lineage === lineage;
    // The run died before it stored the state, or it stored the state after this read.
    if (own && state && item.serial > state.serial) continue;
    if (own) {
      if (expected !== undefined && item.serial < expected)
        yield { is: "missing", from: item.serial + 1, to: expected };
      expected = item.serial - 1;
    }
    yield { is: "record", record: item, own };
  }
  if (expected !== undefined && expected > 0) yield { is: "missing", from: 1, to: expected };
}

/**
 * Yields one record per serial. A run that recovers an interrupted one may record the same serial again. If both
 * records have the same objects, keeps the earlier one, which contains more details.
 */
async function* dropDuplicates(
  texts: AsyncIterable<string>,
): AsyncGenerator<CommitRecord | UnreadableRecord> {
  let held: CommitRecord | undefined;
  for await (const text of texts) {
    if (text.trim() === "") continue;
    const item = decodeRecord(text);
    if ("unreadable" in item) {
      if (held) yield held;
      held = undefined;
      yield item;
    } else if (held && held.serial === item.serial && held.lineage === item.lineage) {
      if (isDeepStrictEqual(held.objects, item.objects)) held = item;
    } else {
      if (held) yield held;
      held = item;
    }
  }
  if (held) yield held;
}

/** Serial of a commit, or the reason why none was found. */
type SerialLookup =
  | { readonly serial: number }
  | { readonly problem: "unknown-commit" }
  | { readonly problem: "ambiguous-commit"; readonly commits: readonly string[] };

/** Returns whether a string is a serial, which has fewer digits than an abbreviated commit id. */
export function isSerial(text: string): boolean {
  return /^\d{1,6}$/.test(text);
}

/**
 * Finds the serial that last applied a commit's files. The commit id may be abbreviated. Records of other commands,
 * such as `pull`, count only if the commit was never applied.
 */
export async function findCommitSerial(
  history: AsyncIterable<HistoryItem>,
  commit: string,
): Promise<SerialLookup> {
  let applied: CommitRecord | undefined;
  let other: CommitRecord | undefined;
  const commits = new Set<string>();
  for await (const item of history) {
    if (item.is !== "record" || !item.own || !item.record.definitions?.commit.startsWith(commit)) continue;
    commits.add(item.record.definitions.commit);
    if (item.record.results && !item.record.restored) applied ??= item.record;
    else other ??= item.record;
  }
  if (commits.size > 1) return { problem: "ambiguous-commit", commits: [...commits] };
  const found = applied ?? other;
  return found ? { serial: found.serial } : { problem: "unknown-commit" };
}

/** Finds the last apply of each commit. Skips rollbacks and applies of modified files. */
export async function findAppliedCommits(
  history: AsyncIterable<HistoryItem>,
): Promise<ReadonlyMap<string, number>> {
  const serials = new Map<string, number>();
  for await (const item of history) {
    if (item.is !== "record" || !item.own) continue;
    const { definitions, results, restored, serial } = item.record;
    if (!definitions || definitions.modified || !results || restored) continue;
    if (!serials.has(definitions.commit)) serials.set(definitions.commit, serial);
  }
  return serials;
}
