import { actionFacts, type Kind } from "../kinds/index.js";
import type { ReferenceReader } from "../lifecycle/index.js";
import type { ApplyInput } from "./apply-input.js";
import type { IntentGroups } from "./intent-groups.js";
import type { ListReader } from "./listings.js";
import type { Change } from "./plan-types.js";
import type { TimestampTracker } from "./timestamp-tracker.js";

export interface ApplyContext extends ApplyInput {
  readonly timestamps: TimestampTracker;
  /** Kind of each declared object, by address, with the fields in `ignore_changes` marked as ignored. */
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly list: ListReader;
  readonly findUsers: ReferenceReader;
  readonly intents: IntentGroups;
  /** Ids that a create cannot return: declared, recorded or planned ones. Each write adds its id. */
  readonly claimed: Set<string>;
  /** Declared names, each after its kind and a space. */
  readonly names: ReadonlySet<string>;
}

export interface ChangeWrite {
  readonly input: ApplyContext;
  readonly change: Change;
  readonly kind: Kind;
}

/** Returns whether a change writes an existing object. */
export function isUpdate({ action }: Change): boolean {
  return actionFacts[action].sends === "update";
}
