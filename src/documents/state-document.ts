import { parseAddress } from "../kinds/index.js";
import { given, type Head, head } from "./document.js";
import type { ForgottenText, ShownValue } from "./plan-document.js";

/** A state, as far as it is shown: the caller hands it in as a plain value. */
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

/** A write whose answer never came. */
export interface PendingFacts {
  readonly action: string;
  readonly label: string;
  readonly at: string;
}

/** An object that was superseded and is still stored in the service, since when. */
export interface StaleFacts {
  readonly id: string;
  readonly label: string;
  readonly since: string;
}

/** What a state manages, one line an object. */
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

/** A write whose answer never came: the next plan looks what became of it. */
export interface ShownPending extends PendingFacts {
  readonly address: string;
}

/** All that is remembered of one object, save fingerprints. */
export interface StateShowDocument extends Head<"state-object">, ListedObject {
  readonly in_sync_at?: string;
  readonly applied: Readonly<Record<string, ShownValue | ForgottenText>>;
}

/** The document that lists a state, in the order of addresses. */
export function stateListDocument(state: StateFacts): StateListDocument {
  return {
    ...head("state-list"),
    service: state.service,
    lineage: state.lineage,
    serial: state.serial,
    objects: runInOrder(state.objects).map(([address, object]) => listed(address, object)),
    pending: runInOrder(state.pending).map(([address, { action, label, at }]) => ({
      address,
      action,
      label,
      at,
    })),
  };
}

/** The document of one object; undefined where the state has none at that address. */
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

function runInOrder<Of>(record: Readonly<Record<string, Of>>): [address: string, value: Of][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
