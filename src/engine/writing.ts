import type { Kind, Spec } from "../kinds/index.js";
import type { Intent } from "../state/index.js";
import type { ApplyContext } from "./apply-context.js";
import type { Change } from "./plan-value.js";

/** Everything one write is made of. */
export interface WriteContext {
  readonly input: ApplyContext;
  readonly change: Change;
  readonly kind: Kind;
  /** The whole object as sent: declared values over live ones. */
  readonly whole: Spec;
  readonly intent: Intent;
  /** It gives a temporary name, and leaves all else as it is. */
  readonly isAside: boolean;
}
