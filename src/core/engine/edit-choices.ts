import type { Change, FieldChange } from "./plan-types.js";

/** Change to an object that was edited in the dashboard. */
export interface EditedChange extends Pick<Change, "address" | "action" | "reason"> {
  readonly fields: readonly Pick<FieldChange, "type" | "cause">[];
}

export interface EditContext {
  readonly isRollback: boolean;
  /** Whether apply overwrites the edit. */
  readonly isOverwritten?: boolean | undefined;
  /** Whether both sides changed the same part of a value, so `pull` can merge them only if the user chooses a side. */
  readonly hasConflicts: boolean;
}

/** Describes what happens to a dashboard edit, as a sentence. */
export function describeEditEffect({ action }: EditedChange, context: EditContext): string {
  const who = context.isRollback ? "the rollback" : "apply";
  const isDelete = action === "delete";
  const does = isDelete ? "deletes it" : "overwrites the edit";
  const skips = isDelete ? "does not delete it" : "skips it";
  return `Edited in the dashboard, ${context.isOverwritten ? `and ${who} ${does}` : `so ${who} ${skips}`}.`;
}

/** End of a sentence that explains how to keep an edited reference. */
export const referenceAdvice =
  "in the files, refer to the object selected in the dashboard, and declare it first if it is undeclared.";

/** Describes how to keep or overwrite a dashboard edit, as sentences with commands. */
export function describeEditChoices(
  { address, action, reason, fields }: EditedChange,
  { isRollback, isOverwritten, hasConflicts }: EditContext,
): string {
  const isDelete = action === "delete";
  // An edited reference cannot be pulled, because it contains an id, but the files need an address.
  const isReference = fields.every(({ type, cause }) => cause === "configured" || type === "reference");
  // A pull merges with the files, not with the rollback's target.
  const isMerge = reason === "conflicting" && !isRollback;
  const pull = `avatarops pull ${address}`;
  const keep = isDelete
    ? "Keep it: declare it again."
    : isReference
      ? `Keep the edit: ${referenceAdvice}`
      : isMerge && hasConflicts
        ? `Choose with \`${pull} --ours\`, \`--theirs\` (the dashboard's) or \`--markers\` (both, to edit by hand).`
        : `${isMerge ? "Merge the edits" : "Keep the edit"}: \`${pull}\`.`;
  if (isOverwritten) return keep;
  // `avatarops apply` applies the files, not the rollback.
  const overwrite = isRollback ? "--overwrite-drift" : "avatarops apply --overwrite-drift";
  return `${keep} ${isDelete ? "Delete it" : "Overwrite it"}: \`${overwrite}\`.`;
}
