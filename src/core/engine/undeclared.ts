import { actionFacts, kinds } from "../kinds/index.js";
import type { Observation } from "./observation.js";
import type { Change, Undeclared } from "./plan-value.js";

/**
 * Listed objects without a declaration, in the order of kinds, then of names and ids. Complete only if
 * requested from the observation: see `ObserveInput.undeclared`.
 */
export function findUndeclared({ listings }: Observation, changes: readonly Change[]): Undeclared[] {
  const declared = new Set(changes.filter(isAccountedFor).map(({ kind, id }) => `${kind} ${id}`));
  return kinds.flatMap(({ name: kind }) => {
    const byId = [...(listings.get(kind)?.byId.values() ?? [])];
    const others = byId.filter(({ id }) => !declared.has(`${kind} ${id}`));
    // The order of a list has no meaning (§2.2).
    const order = ({ label, id }: { label: string; id: string }) => `${label}\u0000${id}`;
    return others
      .sort((a, b) => (order(a) < order(b) ? -1 : 1))
      .map(({ id, label, updatedAt }) => ({ kind, id, label, updatedAt: updatedAt || undefined }));
  });
}

export function isAccountedFor({ id, action }: Change): boolean {
  return id !== undefined && actionFacts[action].isAccountedFor;
}
