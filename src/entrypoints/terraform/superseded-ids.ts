import type { PrivateState } from "@avatarops/terraform-plugin";
import { type AttributeValues, readIds } from "./values.js";

/*
 * Ids of superseded objects that were in use when the state was written. Private state contains them, because the same
 * apply may delete the objects after Terraform has saved the state. The next refresh moves the remaining ids to
 * `superseded_ids`.
 */
interface PrivateSupersededIds {
  readonly superseded_in_use?: readonly string[];
}

export function readIdsInUse({ superseded_in_use = [] }: PrivateSupersededIds): readonly string[] {
  return superseded_in_use;
}

/** Returns the ids in the state and in private state, oldest first. */
export function listSupersededIds(state: AttributeValues, saved: PrivateState): string[] {
  return [...readIds(state.superseded_ids), ...readIdsInUse(saved)];
}

/** Moves the ids from private state to the state. */
export function restoreSupersededIds(stored: {
  readonly state: AttributeValues;
  readonly private: PrivateState;
}) {
  const { superseded_in_use: inUse, ...saved } = stored.private;
  if (inUse === undefined) return stored;
  return {
    state: { ...stored.state, superseded_ids: listSupersededIds(stored.state, stored.private) },
    private: saved,
  };
}
