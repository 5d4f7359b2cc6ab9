import { listWriteOnlyFields, parseAddress } from "../../core/kinds/index.js";
import type { Migration, State, StateEntry } from "../../core/state/index.js";
import { createHead } from "./document.js";

export type ShownState = Omit<State, "version" | "fingerprintKey">;

export type StateListDocument = ReturnType<typeof toStateListDocument>;
export type StateShowDocument = NonNullable<ReturnType<typeof toStateShowDocument>>;
export type StateMigrationDocument = ReturnType<typeof toStateMigrationDocument>;

export function toStateListDocument(state: ShownState) {
  return {
    ...createStateHead("state-list", state),
    objects: sortByAddress(state.objects).map(([address, object]) => toListedObject(address, object)),
    /** Writes without a response. The next plan looks for the objects they may have created. */
    pending: sortByAddress(state.pending).map(([address, { action, label, at }]) => ({
      ...{ address, action, label, at },
    })),
  };
}

/**
 * Shows everything recorded about one object except fingerprints, or returns undefined for an unknown address. With
 * `known`, also shows facts about write-only fields.
 */
export function toStateShowDocument(
  state: ShownState,
  address: string,
  known?: { readonly describeSource: (field: string) => string | undefined; readonly nowMs: number },
) {
  const object = Object.hasOwn(state.objects, address) ? state.objects[address] : undefined;
  if (!object) return undefined;
  const kind = parseAddress(address)?.kind;
  const { superseded, ...shown } = toListedObject(address, object);
  const writeOnly = (known && kind ? listWriteOnlyFields(kind) : []).map((field) => ({
    field,
    /** Source of the value, or undefined if undeclared. */
    source: known?.describeSource(field),
    /** Version of the last sent value, if its source or declaration has versions. */
    version: object.versions?.[field]?.version,
  }));
  return {
    ...createHead("state-object"),
    ...shown,
    in_sync_at: object.inSyncAt,
    applied: object.applied,
    /** Time when the `write_only` values were last sent (ISO 8601). Undefined if not recorded. */
    written_at: known && object.writtenAt,
    write_only: writeOnly.length > 0 ? writeOnly : undefined,
    /** Superseded objects that are still in the account. */
    superseded: superseded.map((one): typeof one & { readonly age_days?: number } => ({
      ...one,
      age_days: known && Math.max(0, Math.floor((known.nowMs - Date.parse(one.since)) / 86_400_000)),
    })),
  };
}

/** Shows a state migration to another store. */
export function toStateMigrationDocument(
  { state, records, unchanged }: Pick<Migration, "state" | "records" | "unchanged">,
  { from, to, environment }: { readonly from: string; readonly to: string; readonly environment?: string },
) {
  return {
    ...createHead("state-migration"),
    /** Previous value of `state` in the manifest. */
    from,
    /** New value of `state`, for `environment` if given. */
    to,
    environment,
    ...{ lineage: state.lineage, serial: state.serial },
    objects: Object.keys(state.objects).length,
    /** Number of writes without a response. */
    pending: Object.keys(state.pending).length,
    /** Number of history records. */
    records,
    /** Whether the new store already contained everything. */
    unchanged,
  };
}

function createStateHead<Format extends string>(format: Format, { service, lineage, serial }: ShownState) {
  return { ...createHead(format), service, lineage, serial };
}

function toListedObject(address: string, { id, applied, superseded = [] }: StateEntry) {
  const label = applied[parseAddress(address)?.kind.label ?? "name"];
  return {
    ...{ address, id, label: typeof label === "string" ? label : "" },
    superseded: superseded.map(({ id, label, since }) => ({ id, label, since })),
  };
}

function sortByAddress<Of>(record: Readonly<Record<string, Of>>): [address: string, value: Of][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
