import type { Kind } from "../../core/kinds/index.js";
import type { Values } from "./values.js";

/** How objects of a kind come to be and are changed. */
export type Strategy =
  /** They exist already, and are taken over by their id. */
  | "adopt"
  /** The service makes them, and changes them in place. */
  | "create"
  /** They are written once: a change makes a new one, which supersedes the old. */
  | "rotate";

/** The strategy for a kind, by what the kind can do. */
export function chooseStrategy({ identity, create, update }: Kind): Strategy {
  if (create && !update) return "rotate";
  return identity === "adopted" ? "adopt" : "create";
}

/** The attribute that identifies a resource: the id it adopts, or its name. Kinds that are written once have none. */
export function knownByAttribute(kind: Kind): string | undefined {
  const strategy = chooseStrategy(kind);
  if (strategy === "rotate") return undefined;
  return strategy === "adopt" ? "id" : kind.label;
}

/** The value of that attribute; undefined while it is not known. */
export function knownBy(kind: Kind, values: Values): string | undefined {
  const name = knownByAttribute(kind);
  const value = name === undefined ? undefined : values[name];
  return typeof value === "string" ? value : undefined;
}
