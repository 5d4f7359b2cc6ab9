import type { PlanDocument, ShownField } from "../documents/index.js";
import { grouped } from "./phrases.js";
import { compareField } from "./prose-changes.js";
import type { Segment } from "./prose-diff.js";

const known = new WeakMap<PlanDocument, ReadonlyMap<string, ReadonlySet<string>>>();

/** The addresses of the objects with the same edit in the files, such as that of a partial, in the order in which they are shown. */
export function findObjectsWithEdit(
  plan: PlanDocument | undefined,
  { cause }: ShownField,
  segments: readonly Segment[],
): readonly string[] {
  const isSpace = segments.every(({ kind, text }) => kind === "same" || text.trim() === "");
  if (!plan || cause !== "configured" || isSpace) return [];
  const objects = known.get(plan) ?? objectsByEdit(plan);
  known.set(plan, objects);
  return [...(objects.get(editKey(segments)) ?? [])];
}

function objectsByEdit({ changes }: PlanDocument): ReadonlyMap<string, ReadonlySet<string>> {
  const objects = new Map<string, Set<string>>();
  for (const { address, fields } of grouped(changes)) {
    for (const field of fields.filter(({ cause }) => cause === "configured")) {
      const { hunks = [], paragraphs = [] } = compareField(field) ?? {};
      for (const key of [...hunks.map(({ segments }) => segments), ...paragraphs].map(editKey))
        objects.set(key, (objects.get(key) ?? new Set()).add(address));
    }
  }
  return objects;
}

/** The spans of an edit within its own lines, whatever is around them. */
function editKey(segments: readonly Segment[]): string {
  const spans = segments.map(({ kind, text }, at) => {
    const lines = kind === "same" ? text.split(/[\n\v]/) : [text];
    const own = at === 0 ? lines.at(-1) : at === segments.length - 1 ? lines[0] : text;
    return [kind, own?.replace(/\s+/g, " ").trim()];
  });
  return JSON.stringify(spans.filter(([, text]) => text !== ""));
}
