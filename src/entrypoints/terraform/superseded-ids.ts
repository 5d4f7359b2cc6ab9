import type { PrivateState } from "@avatarops/terraform-plugin";
import { idsIn, type Values } from "./values.js";

/*
 * The ids of superseded objects that are to be deleted and were in use when the state was written. The same apply may still
 * delete them, and Terraform has the state by then. So they are kept beside it, and the next refresh puts those that the
 * account still has into `superseded_ids`.
 */
interface SavedSuperseded {
  readonly superseded_in_use?: readonly string[];
}

/** The ids that are kept beside the state. */
export function idsInUse({ superseded_in_use = [] }: SavedSuperseded): readonly string[] {
  return superseded_in_use;
}

/** The ids in and beside the state, oldest first. */
export function supersededIds(state: Values, saved: PrivateState): string[] {
  return [...idsIn(state.superseded_ids), ...idsInUse(saved)];
}

/** The state with all of them, and nothing beside it. */
export function listSuperseded(kept: { readonly state: Values; readonly private: PrivateState }) {
  const { superseded_in_use: inUse, ...saved } = kept.private;
  if (inUse === undefined) return kept;
  return {
    state: { ...kept.state, superseded_ids: supersededIds(kept.state, kept.private) },
    private: saved,
  };
}
