import type { PrivateState } from "@avatarops/terraform-plugin";
import { type AttributeValues, readIds } from "./values.js";

/*
 * Ids of superseded objects to delete that were in use when the state was written. The same apply may delete them after
 * Terraform has saved the state, so private state contains them. The next refresh moves the ids that still exist to
 * `superseded_ids`.
 */
interface PrivateSupersededIds {
  readonly superseded_in_use?: readonly string[];
}

/** Returns the ids in private state. */
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
