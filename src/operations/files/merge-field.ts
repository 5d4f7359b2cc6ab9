import { type MergeFavor, mergeValues, type Plan } from "../../core/engine/index.js";
import { getEmptyValue } from "../../core/kinds/index.js";
import type { DeclarationEdit, WriteBackResult } from "../../core/manifest/index.js";
import { type FieldToWrite, findField, partitionByRefusal, type RefusedEdit } from "./field-to-write.js";

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
  // An undeclared field counts as empty text.
  const sides = { applied, yours: spec[field] ?? getEmptyValue(facts) ?? "", dashboard };
  const { value, ...merge } = mergeValues(facts, sides, favor);
  const { conflicts } = merge;
  const isText = facts.type === "string" && facts.prose === true;
  if (conflicts.length === 0) return { ...edit, value, merge: { ...merge, dropsYours: false } };
  if (favor === undefined) {
    const noBase = applied === undefined ? noHistory : "";
    const markers = isText ? ", or `--markers` (both, to edit by hand)" : "";
    const what = isText ? "the same lines" : "this field";
    const reason = `Both you and the dashboard changed ${what}.${noBase} Choose with \`avatarops pull ${address} --ours\` or \`--theirs\` (the dashboard's)${markers}.`;
    return { address, field, reason, conflicts };
  }
  if (favor === "markers" && !isText)
    return {
      address,
      field,
      reason: "This field cannot contain conflict markers. Use --ours or --theirs.",
      conflicts,
    };
  return { ...edit, value, merge: { ...merge, favor, dropsYours: favor === "theirs" } };
}

const noHistory = " The last applied value is not in the history, so every difference is a conflict.";

/** Refuses conflict markers that would not be on separate lines, for example in a quoted string. */
export function rejectInlineMarkers<Edit extends FieldToWrite & { readonly edit: DeclarationEdit }>(
  fields: readonly Edit[],
  { files }: WriteBackResult,
) {
  const countMarkers = ({ merge, edit: { origin } }: Edit) =>
    merge?.favor === "markers" && origin.at !== "template" ? merge.conflicts.length : 0;
  const expected = new Map<string, number>();
  for (const field of fields) {
    const { file } = field.edit.origin;
    expected.set(file, (expected.get(file) ?? 0) + countMarkers(field));
  }
  const crowded = new Set(
    files
      .filter(({ file, after }) => {
        const written = after.match(/^[ \t]*<{7} yours\r?$/gm)?.length ?? 0;
        return written < (expected.get(file) ?? 0);
      })
      .map(({ file }) => file),
  );
  return partitionByRefusal(fields, (field) => {
    const { file } = field.edit.origin;
    return countMarkers(field) > 0 && crowded.has(file)
      ? `${file} contains the text on a single line, so conflict markers do not fit. Use --ours or --theirs.`
      : undefined;
  });
}
