import { type MergeFavor, mergeValues, type Plan } from "../../core/engine/index.js";
import type { Value } from "../../core/kinds/index.js";
import { type FieldToWrite, findField, type RefusedEdit } from "./prepare-edits.js";

/**
 * Merges a live value with the declared one. Refuses conflicts, unless `favor` resolves them.
 *
 * @param edit field with its live value.
 */
export function mergeField(
  edit: FieldToWrite,
  { lastApplied = {} }: Plan,
  favor: MergeFavor | undefined,
): FieldToWrite | RefusedEdit {
  const { declaration, field, value: dashboard } = edit;
  const { address, spec } = declaration;
  const facts = findField(edit);
  const applied = lastApplied[`${address}.${field}`];
  // A field that is no longer declared is cleared.
  const sides = { applied, yours: spec[field] ?? emptyOf(dashboard), dashboard };
  const { value, ...merge } = mergeValues(facts, sides, favor);
  const { conflicts } = merge;
  const isText = facts.type === "string" && facts.prose === true;
  if (conflicts.length === 0) return { ...edit, value, merge: { ...merge, drops: false } };
  if (favor === undefined) {
    const noBase = applied === undefined ? noHistory : "";
    const markers = isText ? ", or `--markers` (both, to edit by hand)" : "";
    const what = isText ? "the same lines" : "it";
    const reason = `Both you and the dashboard changed ${what}.${noBase} Choose with \`avatarops pull ${address} --ours\` or \`--theirs\` (the dashboard's)${markers}.`;
    return { address, field, reason, conflicts };
  }
  if (favor === "markers" && !isText)
    return { address, field, reason: "Conflict markers do not fit here. Use --ours or --theirs.", conflicts };
  return { ...edit, value, merge: { ...merge, favor, drops: favor === "theirs" } };
}

const noHistory = " The last applied value is not in the history, so every difference is a conflict.";

function emptyOf(value: Value): Value {
  return Array.isArray(value) ? [] : "";
}
