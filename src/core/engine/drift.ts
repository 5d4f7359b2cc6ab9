import {
  areValuesEqual,
  type Field,
  getEmptyValue,
  type Kind,
  kinds,
  listReadableFields,
  normalizeForComparison,
  parseAddress,
  type RemoteObject,
  type Spec,
  type Value,
} from "../kinds/index.js";
import { type Declaration, type Manifest, toDeclaration } from "../manifest/index.js";
import { type Intent, isDigest, type State, type StateEntry, type StoredValue } from "../state/index.js";
import type { Observation, Observed } from "./observation.js";
import type { FieldChange } from "./plan-types.js";
import { listChangedFields, matchesStored, wasSentByIntent } from "./stored-form.js";
import { compareLive, isManaged, toDisplayType } from "./three-way-compare.js";

/*
 * Drift is the difference between the last applied and the live values of managed fields, regardless of the files. Each
 * field also shows which value the files contain, because that determines whether the edit can be pulled.
 */

/** Differences between the account and the last apply. */
export interface Drift {
  /** Drifted objects, sorted by kind, then in declaration order, then by address. */
  readonly objects: readonly DriftedObject[];
  /** Objects that could not be read, each with the reason. */
  readonly unreadable: readonly { readonly address: string; readonly reason: string }[];
  /** Number of objects that match the last apply. */
  readonly unchanged: number;
  /** Number of objects that the service cannot return. Their drift is unknown. */
  readonly unobservable: number;
}

/** Managed object that was edited or deleted. */
export interface DriftedObject {
  readonly address: string;
  readonly kind: Kind;
  /** Last applied name. */
  readonly label: string;
  readonly id: string;
  /** Live object, or undefined if it was deleted. */
  readonly live: RemoteObject | undefined;
  /** Id of another object that now has the deleted object's name. */
  readonly successor?: string;
  /** Whether the files changed fields that have not drifted. A plan then treats the object as conflicting. */
  readonly isChangedInFiles: boolean;
  /** Drifted fields, in the kind's field order. Empty for a deleted object. */
  readonly fields: readonly DriftedField[];
}

export interface DriftedField extends Pick<FieldChange, "field" | "type" | "before"> {
  /** Live value, or undefined if it is empty. */
  readonly after?: Value | undefined;
  /**
   * Whether the files contain the applied value, the live value, or the live edit merged with other changes (`merged`).
   * `findDrift` does not merge, so it returns `other` instead of `merged`.
   */
  readonly files: "applied" | "live" | "merged" | "other" | "undeclared";
}

export interface DriftInput {
  readonly manifest: Manifest;
  readonly state: State;
  /** Observation made with the manifest from {@link buildRecordedManifest}. */
  readonly observation: Observation;
}

/**
 * Returns a manifest that declares all managed objects with their last applied values, so that observing it reads them
 * all. Includes a long text only if the files still contain it.
 */
export function buildRecordedManifest(
  manifest: Manifest,
  state: State,
  targets?: readonly string[],
): Manifest {
  const declared = new Map(manifest.declarations.map((one) => [one.address, one]));
  const addresses = Object.keys(state.objects).filter((address) => !targets || targets.includes(address));
  const declarations = addresses.flatMap((address): Declaration[] => {
    const { kind, key } = parseAddress(address, manifest.service.profile) ?? {};
    const entry = state.objects[address];
    if (!kind || key === undefined || !entry) return [];
    const one = declared.get(address);
    const compared = one?.kind ?? kind;
    return [toDeclaration(compared, key, entry.id, findKnownValues(compared, entry.applied, one))];
  });
  return { ...manifest, declarations: sortByDeclaration(declarations, manifest) };
}

export function findDrift({ manifest, state, observation }: DriftInput): Drift {
  const declared = new Map(manifest.declarations.map((one) => [one.address, one]));
  const recorded = buildRecordedManifest(manifest, state).declarations.filter(({ address }) =>
    observation.objects.has(address),
  );
  const objects: DriftedObject[] = [];
  const unreadable: Drift["unreadable"][number][] = [];
  let [unchanged, unobservable] = [0, 0];
  for (const one of recorded) {
    const observed = observation.objects.get(one.address) as Observed;
    if (observed.seen === "unreadable")
      unreadable.push({ address: one.address, reason: observed.error.message });
    else if (observed.seen === "unobservable") unobservable += 1;
    else if (observed.seen !== "live" && observed.seen !== "unmoved" && observed.seen !== "absent")
      unreadable.push({
        address: one.address,
        reason: "Cannot tell which object in the account this is. `avatarops plan` shows how to decide.",
      });
    else {
      const drifted = compareObject(one, observed, declared.get(one.address), state);
      if (drifted) objects.push(drifted);
      else unchanged += 1;
    }
  }
  return { objects, unreadable, unchanged, unobservable };
}

function compareObject(
  recorded: Declaration,
  observed: Observed,
  declared: Declaration | undefined,
  state: State,
): DriftedObject | undefined {
  const { address, kind } = recorded;
  const entry = state.objects[address] as StateEntry;
  const label = entry.applied[kind.label];
  const facts = { address, kind, label: typeof label === "string" ? label : "", id: entry.id };
  const deleted = { ...facts, live: undefined, isChangedInFiles: false, fields: [] };
  if (observed.seen === "unmoved") return undefined;
  if (observed.seen !== "live") return deleted;
  const { live, recreated } = observed;
  if (recreated) return { ...deleted, successor: live.id };
  const last = assumeUpdateSucceeded(kind, entry, state.pending[address], live);
  const { applied } = last;
  const known = findKnownValues(kind, applied, declared);
  const moved = listChangedFields(kind, applied, live.spec).filter(
    (name) => !declared || isManaged(declared, name, last),
  );
  const fields = moved.map((name): DriftedField => {
    const field = kind.fields[name] as Field;
    const before =
      known[name] === undefined ? applied[name] : (normalizeForComparison(field, known[name]) ?? undefined);
    const after = normalizeForComparison(field, live.spec[name]) ?? undefined;
    return {
      field: name,
      type: toDisplayType(field),
      before,
      after,
      files: compareWithFiles(name, field, applied[name], live.spec[name], declared, state),
    };
  });
  const isChangedInFiles =
    declared !== undefined &&
    compareLive(declared, live, last).some(
      ({ field, cause }) => cause === "configured" && !moved.includes(field),
    );
  return fields.length > 0 ? { ...facts, live, isChangedInFiles, fields } : undefined;
}

/** If the live object has the values sent by an interrupted update, returns the entry with these values. */
function assumeUpdateSucceeded(
  kind: Kind,
  entry: StateEntry,
  intent: Intent | undefined,
  live: RemoteObject,
): StateEntry {
  if (intent?.id !== entry.id || !wasSentByIntent(kind, intent, live)) return entry;
  return { ...entry, applied: { ...entry.applied, ...intent.sent } };
}

/**
 * Returns the known applied values. Short ones come from the state, and long ones from the files if they still match.
 */
function findKnownValues(
  kind: Kind,
  applied: StateEntry["applied"],
  declared: Declaration | undefined,
): Spec {
  const known = listReadableFields(kind).flatMap(([name, field]): [string, Value][] => {
    const stored = applied[name];
    if (stored === undefined) return [];
    if (!isDigest(stored)) return [[name, stored]];
    const value = declared?.spec[name];
    return value !== undefined && matchesStored(field, stored, value) ? [[name, value]] : [];
  });
  return Object.fromEntries(known);
}

function compareWithFiles(
  name: string,
  field: Field,
  applied: StoredValue | undefined,
  live: Value | undefined,
  declared: Declaration | undefined,
  state: State,
): Exclude<DriftedField["files"], "merged"> {
  if (!declared) return "undeclared";
  const referred = declared.references?.[name];
  const value = declared.spec[name] ?? (referred ? state.objects[referred]?.id : getEmptyValue(field));
  if (areValuesEqual(field, value, live)) return "live";
  return matchesStored(field, applied, value) ? "applied" : "other";
}

function sortByDeclaration(recorded: readonly Declaration[], { declarations }: Manifest): Declaration[] {
  const positions = new Map(declarations.map(({ address }, at) => [address, at]));
  const getPosition = ({ address }: Declaration) => positions.get(address) ?? declarations.length;
  const rank = new Map(kinds.map(({ name }, at) => [name, at]));
  return recorded.toSorted(
    (a, b) =>
      (rank.get(a.kind.name) ?? 0) - (rank.get(b.kind.name) ?? 0) ||
      getPosition(a) - getPosition(b) ||
      (a.address < b.address ? -1 : 1),
  );
}
