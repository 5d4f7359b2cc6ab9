import { type ApplyHold, describeHold } from "../state/index.js";
import type { Change, Notice } from "./plan-types.js";

/*
 * A hold pauses changes of objects. A plan still shows their changes, with the same digest as without the hold, but apply
 * skips them.
 */

/** Adds the reason to each change on hold. A hold of all objects is a gate of apply instead. */
export function markHolds(changes: readonly Change[], holds: readonly ApplyHold[]): readonly Change[] {
  return changes.map((change) => {
    const hold = holds.find(({ addresses }) => addresses?.includes(change.address));
    if (!hold || change.action === "keep") return change;
    return {
      ...change,
      held: `It is on hold ${describeHold(hold)} To end that: \`avatarops release ${change.address}\`.`,
    };
  });
}

/** Creates a notice for each hold. */
export function createHoldNotices(holds: readonly ApplyHold[]): Notice[] {
  return holds.map((hold): Notice => {
    const { addresses } = hold;
    const said = describeHold(hold);
    if (!addresses) {
      const message = `All objects are on hold ${said} Apply changes nothing before \`avatarops release\`.`;
      return { code: "held", message };
    }
    const [is, it] = addresses.length === 1 ? ["is", "it"] : ["are", "them"];
    return {
      code: "held-objects",
      message: `${addresses.join(", ")} ${is} on hold ${said} Apply leaves ${it} alone before \`avatarops release ${addresses.join(" ")}\`.`,
    };
  });
}
