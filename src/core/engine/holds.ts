import { type ApplyHold, describeHold } from "../state/index.js";
import type { Change, Notice } from "./plan-types.js";

/*
 * A hold pauses changes to objects. Apply skips these changes, but the plan still shows them and has the same digest as
 * without the hold.
 */

/** Adds the reason to each change on hold. Skips a hold on all objects, which is an apply gate instead. */
export function markHolds(changes: readonly Change[], holds: readonly ApplyHold[]): readonly Change[] {
  return changes.map((change) => {
    const hold = holds.find(({ addresses }) => addresses?.includes(change.address));
    if (!hold || change.action === "keep") return change;
    return {
      ...change,
      held: `It is on hold ${describeHold(hold)} Release it with \`avatarops release ${change.address}\`, or apply it anyway with \`--allow held\`.`,
    };
  });
}

export function createHoldNotices(holds: readonly ApplyHold[]): Notice[] {
  return holds.map((hold): Notice => {
    const { addresses } = hold;
    const description = describeHold(hold);
    if (!addresses) {
      const message = `All objects are on hold ${description} Apply changes nothing until you run \`avatarops release\`.`;
      return { code: "held", message };
    }
    const [is, it] = addresses.length === 1 ? ["is", "it"] : ["are", "them"];
    return {
      code: "held-objects",
      message: `${addresses.join(", ")} ${is} on hold ${description} Apply skips ${it} until you run \`avatarops release ${addresses.join(" ")}\` or add \`--allow held\`.`,
    };
  });
}
