import { diff3MergeRegions, diffComm, diffIndices } from "node-diff3";
import { isMapping } from "../../base/text/index.js";
import { areValuesEqual, type Field, normalizeForComparison, type Value } from "../kinds/index.js";

/** Versions of a value that changed both in the files and in the account. */
export interface MergeSides {
  /** Last applied value. Without it, every difference is a conflict. */
  readonly applied?: Value | undefined;
  /** Value in the files. */
  readonly yours: Value;
  /** Live value. */
  readonly dashboard: Value;
}

/** Lines, entries or values that both sides changed differently. A side that has no lines there is omitted. */
export interface MergeConflict {
  /** Part of the value, such as `[0].faq`. */
  readonly part?: string;
  /** First line in your text, 1-based. */
  readonly line?: number;
  /** First line in the merged text, 1-based. */
  readonly mergedLine?: number;
  readonly applied?: Value;
  readonly yours?: Value;
  readonly dashboard?: Value;
}

/** Ways to resolve conflicts. `markers` writes both sides with git's conflict markers. */
export type MergeFavor = "ours" | "theirs" | "markers";

export interface MergedValue {
  /** Merged value, with conflicts resolved as favored. */
  readonly value: Value;
  readonly conflicts: readonly MergeConflict[];
  /** Number of dashboard edits that the value includes. */
  readonly added: number;
  /** Number of your edits that the value includes. */
  readonly kept: number;
}

/** Merges three versions as git does: texts by line, lists by entry, objects by part, and other values as a whole. */
export function mergeValues(field: Field, sides: MergeSides, favor: MergeFavor = "ours"): MergedValue {
  const normalize = (value: Value) => normalizeForComparison(field, value) ?? "";
  const { applied } = sides;
  const [yours, dashboard] = [normalize(sides.yours), normalize(sides.dashboard)];
  const given = { applied: applied === undefined ? undefined : normalize(applied), yours, dashboard };
  const { value, conflicts } = mergeAny(field, given, favor);
  const counts = { added: countEdits(yours, value), kept: countEdits(dashboard, value) };
  return { value, conflicts, ...counts };
}

type MergedPart = Pick<MergedValue, "value" | "conflicts">;

function mergeAny(field: Field, sides: MergeSides, favor: MergeFavor): MergedPart {
  const { applied, yours, dashboard } = sides;
  if (areValuesEqual(field, yours, dashboard)) return { value: yours, conflicts: [] };
  if (applied !== undefined && areValuesEqual(field, applied, dashboard))
    return { value: yours, conflicts: [] };
  if (applied !== undefined && areValuesEqual(field, applied, yours))
    return { value: dashboard, conflicts: [] };
  if (field.type === "string" && typeof yours === "string" && typeof dashboard === "string")
    return mergeLines({ applied: applied as string | undefined, yours, dashboard }, favor);
  if (field.type === "list" && Array.isArray(yours) && Array.isArray(dashboard)) {
    const entries = { applied: Array.isArray(applied) ? applied : undefined, yours, dashboard };
    return mergeEntries(field.item, entries, favor);
  }
  if (field.type === "object" && isMapping(yours) && isMapping(dashboard)) {
    const parts = Object.entries(field.parts).map(([name, part]) => {
      const [own, live] = [yours[name], dashboard[name]] as [Value | undefined, Value | undefined];
      const before = isMapping(applied) ? (applied[name] as Value | undefined) : undefined;
      // `normalize` fills in empty values. If one side lacks a part that has no empty value, the other side's value is
      // used.
      if (own === undefined || live === undefined) return { name, value: own ?? live, conflicts: [] };
      return { name, ...mergeAny(part, { applied: before, yours: own, dashboard: live }, favor) };
    });
    return {
      value: Object.fromEntries(parts.map(({ name, value }) => [name, value])) as Value,
      conflicts: parts.flatMap(({ name, conflicts }) => conflicts.map((one) => prefixPart(`.${name}`, one))),
    };
  }
  return { value: favor === "theirs" ? dashboard : yours, conflicts: [sides] };
}

function prefixPart(part: string, conflict: MergeConflict): MergeConflict {
  return { ...conflict, part: `${part}${conflict.part ?? ""}` };
}

/** Region that merges cleanly, or that both sides changed differently. `at` is its position in your version. */
type Region<Item> =
  | { readonly clean: readonly Item[] }
  | { readonly at: number; readonly applied: Item[]; readonly yours: Item[]; readonly dashboard: Item[] };

function findRegions<Item>({
  applied,
  yours,
  dashboard,
}: Record<"yours" | "dashboard", Item[]> & { readonly applied?: Item[] | undefined }): Region<Item>[] {
  if (applied)
    return diff3MergeRegions(yours, applied, dashboard).map((region) =>
      region.stable
        ? { clean: region.bufferContent }
        : {
            ...{ at: region.aStart, applied: region.oContent },
            ...{ yours: region.aContent, dashboard: region.bContent },
          },
    );
  let at = 0;
  return diffComm(yours, dashboard).map(({ common, buffer1 = [], buffer2 = [] }) => {
    at += (common ?? buffer1).length;
    return common
      ? { clean: common }
      : { at: at - buffer1.length, applied: [], yours: buffer1, dashboard: buffer2 };
  });
}

/** Merges texts by line. Two edits do not conflict if one contains the other. */
function mergeLines(
  {
    applied,
    yours,
    dashboard,
  }: Record<"yours" | "dashboard", string> & { readonly applied: string | undefined },
  favor: MergeFavor,
): MergedPart {
  const conflicts: MergeConflict[] = [];
  let mergedLine = 1;
  const mergeRegion = (region: Region<string>): readonly string[] => {
    if ("clean" in region) return region.clean;
    const [base, own, live] = [region.applied, region.yours, region.dashboard].map((part) => part.join("\n"));
    if (own === live) return region.yours;
    if (applied !== undefined && containsEdit(base as string, own as string, live as string))
      return region.yours;
    if (applied !== undefined && containsEdit(base as string, live as string, own as string))
      return region.dashboard;
    const toSide = (side: "applied" | "yours" | "dashboard") =>
      region[side].length > 0 ? { [side]: region[side].join("\n") } : {};
    conflicts.push({
      ...{ line: region.at + 1, mergedLine },
      ...toSide("applied"),
      ...toSide("yours"),
      ...toSide("dashboard"),
    });
    if (favor === "markers")
      return ["<<<<<<< yours", ...region.yours, "=======", ...region.dashboard, ">>>>>>> dashboard"];
    return favor === "theirs" ? region.dashboard : region.yours;
  };
  const lines = findRegions({
    applied: applied?.split("\n"),
    yours: yours.split("\n"),
    dashboard: dashboard.split("\n"),
  }).flatMap((region) => {
    const merged = mergeRegion(region);
    mergedLine += merged.length;
    return merged;
  });
  return { value: lines.join("\n"), conflicts };
}

/** Merges lists by entry. If both sides changed the same entries without adding or removing any, merges each entry. */
function mergeEntries(
  item: Field,
  sides: Record<"yours" | "dashboard", readonly Value[]> & { readonly applied: readonly Value[] | undefined },
  favor: MergeFavor,
): MergedPart {
  const toKeys = (entries: readonly Value[]) => entries.map((entry) => JSON.stringify(entry));
  const conflicts: MergeConflict[] = [];
  const entries = findRegions({
    applied: sides.applied && toKeys(sides.applied),
    yours: toKeys(sides.yours),
    dashboard: toKeys(sides.dashboard),
  }).flatMap((region): Value[] => {
    const parse = (keys: readonly string[]) => keys.map((key): Value => JSON.parse(key));
    if ("clean" in region) return parse(region.clean);
    const [applied, yours, dashboard] = [region.applied, region.yours, region.dashboard].map(parse) as [
      ...[Value[], Value[], Value[]],
    ];
    if (JSON.stringify(yours) === JSON.stringify(dashboard)) return yours;
    if (yours.length === dashboard.length && (sides.applied === undefined || applied.length === yours.length))
      return yours.map((own, nth) => {
        const one = { applied: applied[nth], yours: own, dashboard: dashboard[nth] as Value };
        const merged = mergeAny(item, one, favor);
        conflicts.push(...merged.conflicts.map((found) => prefixPart(`[${region.at + nth}]`, found)));
        return merged.value;
      });
    conflicts.push({ part: `[${region.at}]`, applied, yours, dashboard });
    return favor === "theirs" ? dashboard : yours;
  });
  return { value: entries, conflicts };
}

/** Returns whether the edit from `base` to `whole` includes the edit from `base` to `part`. */
function containsEdit(base: string, whole: string, part: string): boolean {
  const words = { applied: splitWords(base), yours: splitWords(whole), dashboard: splitWords(part) };
  const isContained = ({ applied, yours, dashboard }: Record<keyof typeof words, string[]>) => {
    const [own, other] = [yours.join(""), dashboard.join("")];
    if (own === other) return true;
    const at = own.indexOf(other);
    if (at < 0 || isInWord(own, at) || isInWord(own, at + other.length)) return false;
    const kept = new Set(listWords(other));
    const removed = new Set(listWords(applied.join("")).filter((word) => !kept.has(word)));
    return !listWords(own.slice(0, at) + own.slice(at + other.length)).some((word) => removed.has(word));
  };
  const regions = findRegions(words);
  const merged = regions.flatMap((region) => ("clean" in region ? region.clean : region.yours)).join("");
  return merged === whole && regions.every((region) => "clean" in region || isContained(region));
}

/** Splits text into words and punctuation marks, each with the whitespace after it. */
function splitWords(text: string): string[] {
  return text.match(/(?:[\p{L}\p{N}]+|[^\p{L}\p{N}\s])\s*|\s+/gu) ?? [];
}

function listWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function isInWord(text: string, at: number): boolean {
  return /^[\p{L}\p{N}]{2}$/u.test(text.slice(at - 1, at + 1));
}

/** Counts the regions in which a merged value differs from one side. */
function countEdits(side: Value, merged: Value): number {
  if (typeof side === "string" && typeof merged === "string")
    return diffIndices(side.split("\n"), merged.split("\n")).length;
  if (!Array.isArray(side) || !Array.isArray(merged)) return areSame(side, merged) ? 0 : 1;
  const [one, other] = [side, merged].map((entries) => entries.map((entry) => JSON.stringify(entry)));
  return diffIndices(one ?? [], other ?? []).length;
}

function areSame(one: Value, other: Value): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
