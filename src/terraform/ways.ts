import type { Kind } from "../kinds/index.js";
import { adopting } from "./adopting.js";
import { supersedes } from "./attributes.js";
import { creating } from "./creating.js";
import type { ResourceLifecycle } from "./resource-lifecycle.js";
import { rotation } from "./superseding.js";

/** How objects of a kind come to be and are changed, by what the kind can do. */
export function lifecycleOf(kind: Kind): ResourceLifecycle {
  if (supersedes(kind)) return rotation(kind);
  return kind.identity === "adopted" ? adopting(kind) : creating(kind);
}
