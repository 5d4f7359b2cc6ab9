import type { Kind } from "../../core/kinds/index.js";
import type { AttributeValues } from "./values.js";

/** How a resource obtains and changes its object. */
export type Strategy =
  /** Adopts an existing object by its id. */
  | "adopt"
  /** Creates an object and updates it in place. */
  | "create"
  /** Creates an object, and for each change a new object that supersedes it. */
  | "rotate";

/** Chooses a kind's strategy, based on whether its objects can be created and updated. */
export function chooseStrategy({ identity, create, update }: Kind): Strategy {
  if (create && !update) return "rotate";
  return identity === "adopted" ? "adopt" : "create";
}

/**
 * Returns the attribute that identifies a resource (the adopted id or the name). Returns undefined for kinds that
 * rotate.
 */
export function findIdentifyingAttribute(kind: Kind): string | undefined {
  const strategy = chooseStrategy(kind);
  if (strategy === "rotate") return undefined;
  return strategy === "adopt" ? "id" : kind.label;
}

/** Returns the value of the identifying attribute, or undefined while it is unknown. */
export function readIdentifyingValue(kind: Kind, values: AttributeValues): string | undefined {
  const name = findIdentifyingAttribute(kind);
  const value = name === undefined ? undefined : values[name];
  return typeof value === "string" ? value : undefined;
}
