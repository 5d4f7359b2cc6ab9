import type { Migration } from "../../core/state/index.js";
import { given, type Head, head } from "./document.js";

/** A state that was moved to another store: what was moved, and what the manifest must say now. */
export interface StateMigrationDocument extends Head<"state-migration"> {
  /** As in the manifest. */
  readonly from: string;
  /** The new value of `state`, in this environment if one is given. */
  readonly to: string;
  readonly environment?: string;
  readonly lineage: string;
  readonly serial: number;
  readonly objects: number;
  /** Writes without an answer. */
  readonly pending: number;
  /** Records of the history. */
  readonly records: number;
  /** Everything was there already. */
  readonly unchanged: boolean;
}

export function stateMigrationDocument(
  { state, records, unchanged }: Pick<Migration, "state" | "records" | "unchanged">,
  setting: { readonly from: string; readonly to: string; readonly environment?: string },
): StateMigrationDocument {
  return {
    ...head("state-migration"),
    from: setting.from,
    to: setting.to,
    ...given("environment", setting.environment),
    lineage: state.lineage,
    serial: state.serial,
    objects: Object.keys(state.objects).length,
    pending: Object.keys(state.pending).length,
    records,
    unchanged,
  };
}
