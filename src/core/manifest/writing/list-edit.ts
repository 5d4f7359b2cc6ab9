import { diffArrays } from "diff";
import { isMapping } from "../../../base/text/index.js";
import type { Value } from "../../kinds/index.js";

type Parts = Readonly<Record<string, Value>>;

/** Entry of an edited list: kept, partly changed, replaced or new. */
export interface EditedEntry {
  /** Position of the earlier entry. Omitted if the entry is new. */
  readonly from?: number;
  readonly parts?: Parts;
  readonly value?: Value;
}

/** Changes to the entries of a list. */
export class ListEdit {
  readonly before: readonly Value[];
  readonly entries: readonly EditedEntry[];

  /** Matches the entries of both versions, so that an entry with a few changed parts is not removed and added again. */
  constructor(before: readonly Value[], after: readonly Value[]) {
    this.before = before;
    const toKeys = (entries: readonly Value[]) => entries.map((entry) => JSON.stringify(entry));
    const entries: EditedEntry[] = [];
    let [at, removed] = [0, [] as number[]];
    for (const { value, ...change } of diffArrays(toKeys(before), toKeys(after))) {
      const own = value.map((_, nth) => at + nth);
      if (change.added) {
        entries.push(
          ...pairEntries(
            before,
            removed,
            value.map((key): Value => JSON.parse(key)),
          ),
        );
        removed = [];
      } else {
        removed = change.removed ? own : [];
        if (!change.removed) entries.push(...own.map((from) => ({ from })));
        at += value.length;
      }
    }
    this.entries = entries;
  }

  /** Positions of the earlier entries that are removed. */
  get removed(): number[] {
    const kept = new Set(this.entries.map(({ from }) => from));
    return [...this.before.keys()].filter((at) => !kept.has(at));
  }

  /** Whether entries are added, removed or moved. */
  get isRestructured(): boolean {
    return this.entries.length !== this.before.length || this.entries.some(({ from }, at) => from !== at);
  }
}

/**
 * Pairs each added entry with the removed entry that it replaces, in order. If the counts differ, only entries with a
 * common part are paired.
 */
function pairEntries(
  before: readonly Value[],
  removed: readonly number[],
  added: readonly Value[],
): EditedEntry[] {
  const left = [...removed];
  return added.map((value): EditedEntry => {
    const isEqualNumber = removed.length === added.length;
    const at = left.findIndex((from) => isEqualNumber || hasCommonPart(before[from] as Value, value));
    if (at < 0) return { value };
    const [from = 0] = left.splice(0, at + 1).slice(-1);
    const parts = findChangedParts(before[from] as Value, value);
    return parts ? { from, parts } : typeof value === "object" ? { value } : { from, value };
  });
}

function hasCommonPart(one: Value, other: Value): boolean {
  if (!isMapping(one) || !isMapping(other)) return false;
  return Object.keys(other).some((key) => JSON.stringify(one[key]) === JSON.stringify(other[key]));
}

/**
 * Returns the changed parts of a mapping, with "" for a removed text. Returns undefined if the whole value must be
 * replaced.
 */
function findChangedParts(before: Value, after: Value): Parts | undefined {
  if (!isMapping(before) || !isMapping(after)) return undefined;
  const removed = Object.keys(before).filter((key) => after[key] === undefined);
  if (removed.some((key) => typeof before[key] !== "string")) return undefined;
  const changed = Object.entries(after).filter(
    ([key, part]) => JSON.stringify(before[key]) !== JSON.stringify(part),
  );
  return Object.fromEntries([...removed.map((key) => [key, ""]), ...changed]) as Parts;
}
