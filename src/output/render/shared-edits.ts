import type { PlanDocument, ShownField, ShownLine } from "../documents/index.js";
import type { Hunk } from "./hunks.js";
import { grouped } from "./phrases.js";
import { changedHunks, compareField, remembered } from "./prose-changes.js";
import type { Segment } from "./prose-diff.js";

/** What several objects have alike, such as the edits of a partial. */
export interface SharedEdit {
  /** The objects of each plan. */
  readonly holders: ReadonlyMap<PlanDocument, readonly string[]>;
  /** The text of each object, of which the first has these differences. */
  readonly texts: readonly [ShownField, ...ShownField[]];
  readonly hunks: readonly Hunk[];
  /** Within their own lines. */
  readonly paragraphs: readonly (readonly Segment[])[];
  /** Where they are written, if that is the same for all. */
  readonly places: readonly ShownLine[];
}

export interface SharedEdits {
  readonly edits: readonly SharedEdit[];
  /** The hunks and paragraphs of a field that are among them. */
  readonly parts: ReadonlyMap<ShownField, readonly Part[]>;
}

type Part = Hunk | readonly Segment[];

interface Holder {
  readonly plan: PlanDocument;
  readonly address: string;
  readonly field: ShownField;
  readonly part: Part;
}

/** Finds the edits in the files that several objects have; those of the same objects are together. */
export const findSharedEdits = remembered((plans: readonly PlanDocument[]) =>
  findShared(plans, (field) => [...changedHunks(field), ...(compareField(field)?.paragraphs ?? [])]),
);

/** The same without paragraphs, which take time. */
export const findSharedHunks = remembered((plans: readonly PlanDocument[], context) =>
  findShared(plans, (field) => changedHunks(field, context)),
);

function findShared(
  plans: readonly PlanDocument[],
  partsOf: (field: ShownField) => readonly Part[],
): SharedEdits {
  const edits = new Map<string | undefined, Holder[]>();
  for (const plan of plans)
    for (const { address, fields } of grouped(plan.changes))
      for (const field of fields.filter(({ cause }) => cause === "configured"))
        for (const part of partsOf(field)) add(edits, editKey(part), { plan, address, field, part });
  edits.delete(undefined);
  const groups = new Map<string, Holder[][]>();
  const parts = new Map<ShownField, Part[]>();
  for (const edit of edits.values()) {
    if (edit.every(({ address }) => address === edit[0]?.address)) continue;
    const holders = edit.map(({ plan, address, field }) => [plans.indexOf(plan), address, field.field]);
    add(groups, JSON.stringify(holders), edit);
    for (const { field, part } of edit) add(parts, field, part);
  }
  return { edits: [...groups.values()].flatMap(toEdit), parts };
}

function add<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** What of a field's hunks or paragraphs is not shared. */
export function notShared<Own extends Part>(
  field: ShownField,
  parts: readonly Own[],
  shared: SharedEdits | undefined,
): readonly Own[] {
  const there = new Set<Part>(shared?.parts.get(field));
  return parts.filter((part) => !there.has(part));
}

function toEdit(edits: readonly (readonly Holder[])[]): SharedEdit[] {
  const [all = []] = edits;
  const [first, ...others] = all;
  if (!first) return [];
  const holders = new Map<PlanDocument, string[]>();
  for (const { plan, address } of all) if (!holders.get(plan)?.includes(address)) add(holders, plan, address);
  const shown = edits.flatMap(([one]) => (one ? [one.part] : []));
  return [
    {
      holders,
      texts: [first.field, ...others.map(({ field }) => field)],
      hunks: shown.filter(isHunk),
      paragraphs: shown.flatMap((part) => (isHunk(part) ? [] : [withinLines(part)])),
      places: edits.flatMap(samePlace),
    },
  ];
}

function samePlace(edit: readonly Holder[]): ShownLine[] {
  const places = edit.map(({ part }) => (isHunk(part) ? part.place : undefined));
  const [first] = places;
  return first && places.every((place) => place?.file === first.file && place.line === first.line)
    ? [first]
    : [];
}

function isHunk(part: Part): part is Hunk {
  return "segments" in part;
}

/** The spans of an edit within its own lines, whatever is around them; undefined if nothing but space differs. */
function editKey(part: Part): string | undefined {
  const spans = withinLines(isHunk(part) ? part.segments : part);
  if (spans.every(({ kind, text }) => kind === "same" || text.trim() === "")) return undefined;
  const texts = spans.map(({ kind, text }) => [kind, text.replace(/\s+/g, " ").trim()]);
  return JSON.stringify([isHunk(part), ...texts.filter(([, text]) => text !== "")]);
}

function withinLines(segments: readonly Segment[]): Segment[] {
  return segments.map(({ kind, text }, at) => {
    const lines = kind === "same" ? text.split(/[\n\v]/) : [];
    const own = at === 0 ? lines.at(-1) : at === segments.length - 1 ? lines[0] : undefined;
    return { kind, text: own ?? text };
  });
}
