import type { Kind } from "../kinds/index.js";

/** How objects of a kind come to be and are changed. */
export type Strategy =
  /** They exist already, and are taken over by their id. */
  | "adopt"
  /** The service makes them, and changes them in place. */
  | "create"
  /** They are written once: a change makes a new one, which supersedes the old. */
  | "rotate";

/** The strategy for a kind, by what the kind can do. */
export function strategyOf({ identity, create, update }: Kind): Strategy {
  if (create && !update) return "rotate";
  return identity === "adopted" ? "adopt" : "create";
}
