import { parseAddress } from "../kinds/index.js";
import { given, type Head, head } from "./document.js";
import type { ForgottenText, ShownValue } from "./plan-document.js";

/** The part of a state to show, passed in as a plain value. */
export interface StateFacts {
  readonly lineage: string;
  readonly serial: number;
  readonly service: string;
  readonly objects: Readonly<Record<string, ObjectFacts>>;
  readonly pending: Readonly<Record<string, PendingFacts>>;
}

/** One managed object of a state. */
export interface ObjectFacts {
  readonly id: string;
  readonly applied: Readonly<Record<string, ShownValue | ForgottenText>>;
  readonly inSyncAt?: string;
  readonly stale?: readonly StaleFacts[];
}

/** A write without an answer. */
export interface PendingFacts {
  readonly action: string;
  readonly label: string;
  readonly at: string;
}

/** A superseded object that is still stored in the service, with its date. */
export interface StaleFacts {
  readonly id: string;
  readonly label: string;
  readonly since: string;
}

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
  readonly stale: readonly StaleFacts[];
}

/** A write without an answer: the next plan looks for its object. */
export interface ShownPending extends PendingFacts {
  readonly address: string;
}

/** Everything recorded of one object, except fingerprints. */
export interface StateShowDocument extends Head<"state-object">, ListedObject {
  readonly in_sync_at?: string;
  readonly applied: Readonly<Record<string, ShownValue | ForgottenText>>;
}

/** Creates the document for a state, sorted by address. */
export function stateListDocument(state: StateFacts): StateListDocument {
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
export function stateShowDocument(state: StateFacts, address: string): StateShowDocument | undefined {
  const object = Object.hasOwn(state.objects, address) ? state.objects[address] : undefined;
  if (!object) return undefined;
  return {
    ...head("state-object"),
    ...listed(address, object),
    ...given("in_sync_at", object.inSyncAt),
    applied: object.applied,
  };
}

function listed(address: string, object: ObjectFacts): ListedObject {
  const stale = (object.stale ?? []).map(({ id, label, since }) => ({ id, label, since }));
  return { address, id: object.id, label: labelOf(address, object), stale };
}

function labelOf(address: string, { applied }: ObjectFacts): string {
  const label = applied[parseAddress(address)?.kind.label ?? "name"];
  return typeof label === "string" ? label : "";
}

function sortedByAddress<Of>(record: Readonly<Record<string, Of>>): [address: string, value: Of][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
