import { actionFacts, kindNamed } from "../kinds/index.js";
import { type Change, isLeftAlone, type Plan } from "./plan-value.js";

/**
 * The changes of a plan that people in a running session may notice: those that write to an existing object which
 * sessions use. A new object is used by none, and an edit made elsewhere that is left alone is not written.
 */
export function changesInUse({ changes }: Pick<Plan, "changes">, overwriteDrift: boolean): readonly Change[] {
  return changes.filter((change) => {
    const { kind, action, fields } = change;
    const { sends } = actionFacts[action];
    const writes = sends === "delete" || (sends === "update" && fields.length > 0);
    return writes && !isLeftAlone(change, overwriteDrift) && kindNamed(kind)?.usedInSessions === true;
  });
}
