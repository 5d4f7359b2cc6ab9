import type { Kind } from "../kinds/index.js";
import type { DeleteCall } from "./calls.js";
import { notDeleted } from "./diagnostics.js";
import { strategyOf } from "./strategy.js";
import { specOf } from "./values.js";

/** Lets go of an object: the service cannot delete. One of its name may be adopted again in the same run. */
export function forgetObject(kind: Kind, { open, prior, diagnostics }: DeleteCall): void {
  const { ownership } = open;
  // The half of a replacement is in no plan of its own. Of these, the next one is another object.
  if (strategyOf(kind) !== "create") notDeleted(kind, prior, diagnostics);
  ownership.release(kind, String(prior.id), specOf(kind, prior));
  ownership.giveBack(kind, String(prior[kind.label]));
}
