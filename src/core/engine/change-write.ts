import { factsOf, type Kind } from "../kinds/index.js";
import type { ApplyContext } from "./apply-context.js";
import type { Change } from "./plan-value.js";

/** A change that is being written. */
export interface ChangeWrite {
  readonly input: ApplyContext;
  readonly change: Change;
  readonly kind: Kind;
  /** Writes a temporary name and nothing else. */
  readonly isTemporaryName: boolean;
}

/** Whether it writes an existing object. */
export function isUpdate({ action }: Change): boolean {
  return factsOf(action).sends === "update";
}
