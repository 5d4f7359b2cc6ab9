import { kindNamed, referenceFields } from "../kinds/index.js";
import type { ApplyContext } from "./apply-context.js";
import { leftAlone, type Result, skipped } from "./outcome.js";
import { type Change, isLeftAlone } from "./plan-types.js";

/** The changes that write the new id of an object somewhere, or delete what may have the old one. */
export function changesUsing({ address, kind }: Change, id: string, changes: readonly Change[]): Change[] {
  const isUser = (change: Change) => {
    const { references = {}, action } = change;
    const referring = referenceFields(kindNamed(change.kind)).filter(([, target]) => target === kind);
    return referring.some(
      ([field]) =>
        action === "delete" ||
        references[field] === address ||
        change.fields.some((one) => one.field === field && one.before === id),
    );
  };
  return changes.filter(isUser);
}

/** The result of a change if one that it waits for failed. */
export function afterFailure(input: ApplyContext, change: Change, failedBefore: Result): Result {
  if (isLeftAlone(change, input.overwriteDrift)) return leftAlone(change);
  return skipped(change, "needs-another", whyNeeded(change, failedBefore.address));
}

/** Why a change is not tried when another was not done. */
function whyNeeded({ action, references = {}, supersededBy }: Change, address: string): string {
  if (supersededBy === address) return `${address}, which supersedes it, was not done: apply again.`;
  if (action === "delete") return `It is used by ${address}, whose change was not done.`;
  if (Object.values(references).includes(address)) return `It refers to ${address}, which was not made.`;
  return `It takes the name of ${address}, which was not renamed.`;
}
