import type { Kind } from "../kinds/index.js";
import { adopting } from "./adopting.js";
import { supersedes } from "./attributes.js";
import { creating } from "./creating.js";
import type { Way } from "./resource.js";
import { superseding } from "./superseding.js";

/** How objects of a kind come to be and are changed, by what the kind can do. */
export function wayOf(kind: Kind): Way {
  if (supersedes(kind)) return superseding(kind);
  return kind.identity === "given" ? adopting(kind) : creating(kind);
}
