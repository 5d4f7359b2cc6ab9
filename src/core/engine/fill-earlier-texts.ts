import { digestChanges, findKind } from "../kinds/index.js";
import type { Declaration } from "../manifest/index.js";
import type { Change, FieldChange, Plan } from "./plan-types.js";
import { matchesStored } from "./stored-form.js";

/**
 * Fills in earlier texts that the state stores only as digests, using other declarations, such as those on the applied
 * branch.
 */
export function fillEarlierTexts(made: Plan, declarations: readonly Declaration[]): Plan {
  const known = new Map(declarations.map((declaration) => [declaration.address, declaration]));
  const changes = made.changes.map((change): Change => {
    const declaration = known.get(change.address);
    if (!declaration) return change;
    return { ...change, fields: change.fields.map((field) => fillEarlierText(field, declaration)) };
  });
  return { ...made, changes, digest: digestChanges(made.basis, changes) };
}

function fillEarlierText(change: FieldChange, { kind, spec }: Declaration): FieldChange {
  const { field: name, before } = change;
  const field = findKind(kind.name)?.fields[name];
  const text = spec[name];
  const isDigest = typeof before === "object" && "digest" in before;
  if (!isDigest || !field || text === undefined || !matchesStored(field, before, text)) return change;
  return { ...change, before: text };
}
