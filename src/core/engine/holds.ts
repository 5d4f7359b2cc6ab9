import { type ApplyHold, describeHold } from "../state/index.js";
import type { Change, Notice } from "./plan-types.js";

/*
 * Holds: somebody has said that objects are not to be changed for now. A plan goes on showing what would be changed, with
 * the same digest as without the hold; apply leaves those objects alone.
 */

/** The changes, with the reason at those that are on hold. What is on hold as a whole is a gate of apply. */
export function withHolds(changes: readonly Change[], holds: readonly ApplyHold[]): readonly Change[] {
  return changes.map((change) => {
    const hold = holds.find(({ addresses }) => addresses?.includes(change.address));
    if (!hold || change.action === "keep") return change;
    return {
      ...change,
      held: `It is on hold ${describeHold(hold)} To end that: \`avatarops release ${change.address}\`.`,
    };
  });
}

/** A notice for each hold. */
export function holdNotices(holds: readonly ApplyHold[]): Notice[] {
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
