import { factsOf, type Kind } from "../kinds/index.js";
import type { ApplyContext } from "./apply-context.js";
import type { Change } from "./plan-value.js";

/** One change being written. */
export interface ChangeWrite {
  readonly input: ApplyContext;
  readonly change: Change;
  readonly kind: Kind;
  /** It gives a temporary name, and leaves all else as it is. */
  readonly isTemporaryName: boolean;
}

/** Whether it writes an object that is there already. */
export function isUpdate({ action }: Change): boolean {
  return factsOf(action).sends === "update";
}
