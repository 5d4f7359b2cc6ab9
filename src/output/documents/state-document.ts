import { parseAddress } from "../../core/kinds/index.js";
import type { Entry, Intent, StaleObject, State } from "../../core/state/index.js";
import { given, type Head, head } from "./document.js";

/** What documents are made of. */
export type ShownState = Omit<State, "version" | "fingerprintKey">;

/** The objects of a state, one line each. */
export interface StateListDocument extends Head<"state-list"> {
  readonly service: string;
  readonly lineage: string;
  readonly serial: number;
  readonly objects: readonly ListedObject[];
  readonly pending: readonly ShownPending[];
}

/** One object of the list. */
export interface ListedObject {
  readonly address: string;
  readonly id: string;
  readonly label: string;
  readonly stale: readonly StaleObject[];
}

/** A write without an answer: the next plan looks for its object. */
export interface ShownPending extends Pick<Intent, "address" | "action" | "label" | "at"> {}

/** Everything recorded of one object, except fingerprints. */
export interface StateShowDocument extends Head<"state-object">, ListedObject {
  readonly in_sync_at?: string;
  readonly applied: Entry["applied"];
}

/** Creates the document for a state, sorted by address. */
export function stateListDocument(state: ShownState): StateListDocument {
  return {
    ...head("state-list"),
    service: state.service,
    lineage: state.lineage,
    serial: state.serial,
    objects: sortedByAddress(state.objects).map(([address, object]) => listed(address, object)),
    pending: sortedByAddress(state.pending).map(([address, { action, label, at }]) => ({
      address,
      action,
      label,
      at,
    })),
  };
}

/** Creates the document for one object; undefined if the state has none at that address. */
export function stateShowDocument(state: ShownState, address: string): StateShowDocument | undefined {
  const object = Object.hasOwn(state.objects, address) ? state.objects[address] : undefined;
  if (!object) return undefined;
  return {
    ...head("state-object"),
    ...listed(address, object),
    ...given("in_sync_at", object.inSyncAt),
    applied: object.applied,
  };
}

function listed(address: string, object: Entry): ListedObject {
  const stale = (object.stale ?? []).map(({ id, label, since }) => ({ id, label, since }));
  return { address, id: object.id, label: findLabel(address, object), stale };
}

function findLabel(address: string, { applied }: Entry): string {
  const label = applied[parseAddress(address)?.kind.label ?? "name"];
  return typeof label === "string" ? label : "";
}

function sortedByAddress<Of>(record: Readonly<Record<string, Of>>): [address: string, value: Of][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
