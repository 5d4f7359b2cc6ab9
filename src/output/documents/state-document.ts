import { parseAddress, writeOnlyFields } from "../../core/kinds/index.js";
import type { Entry, Migration, State } from "../../core/state/index.js";
import { head } from "./document.js";

export type ShownState = Omit<State, "version" | "fingerprintKey">;

export type StateListDocument = ReturnType<typeof stateListDocument>;
export type StateShowDocument = NonNullable<ReturnType<typeof stateShowDocument>>;
export type StateMigrationDocument = ReturnType<typeof stateMigrationDocument>;

/** The objects of a state, sorted by address. */
export function stateListDocument(state: ShownState) {
  return {
    ...headOfState("state-list", state),
    objects: sortedByAddress(state.objects).map(([address, object]) => listed(address, object)),
    /** Writes without an answer: the next plan looks for their objects. */
    pending: sortedByAddress(state.pending).map(([address, { action, label, at }]) => ({
      ...{ address, action, label, at },
    })),
  };
}

/**
 * Everything recorded of one object, except fingerprints, and never a value of a write-only field; undefined if the state
 * has none at that address. With `known`, also what the state and the files say of such fields: `sourceOf` describes their source.
 */
export function stateShowDocument(
  state: ShownState,
  address: string,
  known?: { readonly sourceOf: (field: string) => string | undefined; readonly nowMs: number },
) {
  const object = Object.hasOwn(state.objects, address) ? state.objects[address] : undefined;
  if (!object) return undefined;
  const kind = parseAddress(address)?.kind;
  const { superseded, ...shown } = listed(address, object);
  const writeOnly = (known && kind ? writeOnlyFields(kind) : []).map((field) => ({
    field,
    /** Where its value comes from; absent if no file declares it. */
    source: known?.sourceOf(field),
    /** Version of the value that was sent, if its source or its declaration has one. */
    version: object.versions?.[field]?.version,
  }));
  return {
    ...head("state-object"),
    ...shown,
    in_sync_at: object.inSyncAt,
    applied: object.applied,
    /** When the values of `write_only` were last sent, ISO 8601; absent if that is not recorded. */
    written_at: known && object.writtenAt,
    write_only: writeOnly.length > 0 ? writeOnly : undefined,
    /** What it superseded, and is still stored in the service. */
    superseded: superseded.map((one): typeof one & { readonly age_days?: number } => ({
      ...one,
      age_days: known && Math.max(0, Math.floor((known.nowMs - Date.parse(one.since)) / 86_400_000)),
    })),
  };
}

/** A state that was moved to another store. */
export function stateMigrationDocument(
  { state, records, unchanged }: Pick<Migration, "state" | "records" | "unchanged">,
  { from, to, environment }: { readonly from: string; readonly to: string; readonly environment?: string },
) {
  return {
    ...head("state-migration"),
    /** As in the manifest. */
    from,
    /** The new value of `state`, in this environment if one is given. */
    to,
    environment,
    ...{ lineage: state.lineage, serial: state.serial },
    objects: Object.keys(state.objects).length,
    /** Writes without an answer. */
    pending: Object.keys(state.pending).length,
    /** Records of the history. */
    records,
    /** Everything was there already. */
    unchanged,
  };
}

function headOfState<Format extends string>(format: Format, { service, lineage, serial }: ShownState) {
  return { ...head(format), service, lineage, serial };
}

function listed(address: string, { id, applied, superseded = [] }: Entry) {
  const label = applied[parseAddress(address)?.kind.label ?? "name"];
  return {
    ...{ address, id, label: typeof label === "string" ? label : "" },
    superseded: superseded.map(({ id, label, since }) => ({ id, label, since })),
  };
}

function sortedByAddress<Of>(record: Readonly<Record<string, Of>>): [address: string, value: Of][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
