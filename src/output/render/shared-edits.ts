import type { PlanDocument, ShownField, ShownLine } from "../documents/index.js";
import type { Hunk } from "./hunks.js";
import { grouped } from "./phrases.js";
import { changedHunks, remembered } from "./prose-changes.js";
import type { Segment } from "./prose-diff.js";

/** What several objects of a plan have alike, such as the edits of a partial. */
export interface SharedEdit {
  /** Addresses. */
  readonly objects: readonly string[];
  /** The text of each object, of which the first has these differences. */
  readonly texts: readonly [ShownField, ...ShownField[]];
  readonly hunks: readonly Hunk[];
  /** Where they are written, if that is the same for all. */
  readonly places: readonly ShownLine[];
}

interface Holder {
  readonly address: string;
  readonly field: ShownField;
  readonly hunk: Hunk;
}

/** Finds the edits in the files that several objects have; those of the same objects are together. */
export const findSharedEdits = remembered(({ changes }: PlanDocument, context) => {
  const edits = new Map<string | undefined, Holder[]>();
  for (const { address, fields } of grouped(changes))
    for (const field of fields.filter(({ cause }) => cause === "configured"))
      for (const hunk of changedHunks(field, context)) add(edits, editKey(hunk), { address, field, hunk });
  edits.delete(undefined);
  const groups = new Map<string, Holder[][]>();
  /** Those of all objects. */
  const hunks = new Set<Hunk>();
  for (const edit of edits.values()) {
    if (edit.every(({ address }) => address === edit[0]?.address)) continue;
    add(groups, JSON.stringify(edit.map(({ address, field }) => [address, field.field])), edit);
    for (const { hunk } of edit) hunks.add(hunk);
  }
  return { edits: [...groups.values()].flatMap(toEdit), hunks };
});

function add<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function toEdit(edits: readonly (readonly Holder[])[]): SharedEdit[] {
  const [all = []] = edits;
  const [first, ...others] = all;
  if (!first) return [];
  return [
    {
      objects: [...new Set(all.map(({ address }) => address))],
      texts: [first.field, ...others.map(({ field }) => field)],
      hunks: edits.flatMap(([one]) => (one ? [one.hunk] : [])),
      places: edits.flatMap(samePlace),
    },
  ];
}

function samePlace(edit: readonly Holder[]): ShownLine[] {
  const places = edit.map(({ hunk }) => hunk.place);
  const [first] = places;
  return first && places.every((place) => place?.file === first.file && place.line === first.line)
    ? [first]
    : [];
}

/** The spans of an edit within its own lines, whatever is around them; undefined if nothing but space differs. */
function editKey({ segments }: Hunk): string | undefined {
  const spans = segments.map(({ kind, text }, at): Segment => {
    const lines = kind === "same" ? text.split("\n") : [];
    const own = at === 0 ? lines.at(-1) : at === segments.length - 1 ? lines[0] : undefined;
    return { kind, text: own ?? text };
  });
  if (spans.every(({ kind, text }) => kind === "same" || text.trim() === "")) return undefined;
  const texts = spans.map(({ kind, text }) => [kind, text.replace(/\s+/g, " ").trim()]);
  return JSON.stringify(texts.filter(([, text]) => text !== ""));
}
