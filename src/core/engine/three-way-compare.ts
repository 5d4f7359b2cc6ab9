import {
  areValuesEqual,
  digestValue,
  type Field,
  getEmptyValue,
  ignoreFields,
  listIgnoredFields,
  listReadableFields,
  normalizeForComparison,
  type RemoteObject,
  type Spec,
  type Value,
} from "../kinds/index.js";
import type { Declaration } from "../manifest/index.js";
import type { StateEntry } from "../state/index.js";
import type { FieldChange } from "./plan-types.js";
import { matchesStored, toStoredValue } from "./stored-form.js";

/**
 * Compares the three values of each field (rule 4): applied (last written by avatarops), live (in the account) and
 * desired (in the files).
 *
 *     desired = live              nothing to write, whatever was applied
 *     applied = live ≠ desired    the files changed: configured
 *     applied = desired ≠ live    edited elsewhere: drifted
 *     all three differ            both changed: conflicting, or configured if desired contains that edit (`merged`)
 *
 * A field that was never declared is not compared, and an update sends its live value. A field that was removed from
 * the files is cleared if possible, and is then no longer managed.
 */
export function compareLive(
  declaration: Declaration,
  live: RemoteObject,
  entry?: StateEntry,
  merged?: ReadonlySet<string>,
): FieldChange[] {
  const desired = getDesiredSpec(declaration, entry);
  const readLive = ([name, field]: [string, Field]) => normalizeForComparison(field, live.spec[name]);
  const unknown = findUnknownReferences(declaration, readLive, entry?.applied);
  const changes = listComparedFields(declaration, desired).flatMap(([name, field]): FieldChange[] => {
    const before = live.spec[name];
    const after = desired[name] as Value;
    if (areValuesEqual(field, before, after)) return [];
    const applied = entry?.applied[name];
    const ours = applied === undefined || !matchesStored(field, applied, after);
    const isMerged = merged?.has(`${declaration.address}.${name}`);
    const theirs = !isMerged && applied !== undefined && !matchesStored(field, applied, before);
    const cause = !theirs ? "configured" : ours ? "conflicting" : "drifted";
    // Drops server-assigned keys of list entries, because new keys are not a difference.
    const shown = normalizeForComparison(field, before) ?? undefined;
    return [{ field: name, type: toDisplayType(field), before: shown, after, cause }];
  });
  return [...changes, ...unknown];
}

/** Compares desired with last applied values, for objects that cannot be read. */
export function compareApplied(declaration: Declaration, entry?: StateEntry): FieldChange[] {
  const desired = getDesiredSpec(declaration, entry);
  const unknown = findUnknownReferences(declaration, ([name]) => entry?.applied[name]);
  const changes = listComparedFields(declaration, desired).flatMap(([name, field]): FieldChange[] => {
    const after = desired[name] as Value;
    const before = entry?.applied[name];
    if (matchesStored(field, before, after)) return [];
    return [{ field: name, type: toDisplayType(field), before, after, cause: "configured" }];
  });
  return [...changes, ...unknown];
}

/** Returns every field of a new object, including ignored fields. */
export function listNewFields(given: Declaration): FieldChange[] {
  const declaration = { ...given, kind: ignoreFields(given.kind, []) };
  const written = listComparedFields(declaration, declaration.spec).map(([name, field]) => ({
    field: name,
    type: toDisplayType(field),
    after: declaration.spec[name] as Value,
    cause: "configured" as const,
  }));
  const unknown = findUnknownReferences(declaration, () => undefined);
  return [...written, ...unknown, ...listWriteOnlyChanges(declaration)];
}

/**
 * Returns the references to objects that this apply creates. They always differ, because the new ids are not known yet.
 */
function findUnknownReferences(
  { kind, references = {} }: Declaration,
  readBefore: (field: [name: string, field: Field]) => FieldChange["before"] | null,
  applied: StateEntry["applied"] = {},
): FieldChange[] {
  return listReadableFields(kind).flatMap(([name, field]): FieldChange[] => {
    const knownAfter = references[name];
    if (knownAfter === undefined) return [];
    const before = readBefore([name, field]) || undefined;
    const isTheirs = applied[name] !== undefined && applied[name] !== before;
    const cause = isTheirs ? "conflicting" : "configured";
    return [{ field: name, type: "reference", knownAfter, cause, before }];
  });
}

/**
 * Returns the write-only fields to send, but not their values. If `version` is given, the plan's digest depends on it.
 */
export function listWriteOnlyChanges({ sources }: Declaration, version?: string): FieldChange[] {
  return Object.entries(sources).map(([field, source]) => ({
    field,
    type: "write-only",
    cause: "configured",
    source: digestValue(version === undefined ? source : [source, version]),
  }));
}

/**
 * Removes ignored fields, so that existing objects keep their values. Skips kinds that cannot be updated, because every
 * change creates a new object.
 */
export function removeIgnored(declaration: Declaration): Declaration {
  const { kind, spec, references } = declaration;
  const ignored = listIgnoredFields(kind);
  if (ignored.length === 0 || !kind.update) return declaration;
  const dropIgnored = <Values extends object>(values: Values) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !ignored.includes(name)));
  return {
    ...declaration,
    spec: dropIgnored(spec),
    ...(references && { references: dropIgnored(references) }),
  };
}

/** Returns the declared fields, and empty values for fields that were removed from the files. */
export function getDesiredSpec(declaration: Declaration, entry?: StateEntry): Spec {
  if (!entry) return declaration.spec;
  const cleared = listReadableFields(declaration.kind).flatMap(([name, field]) => {
    const empty = getEmptyValue(field);
    const hasLeft = entry.applied[name] !== undefined && !isDeclared(declaration, name);
    return hasLeft && empty !== undefined && !matchesStored(field, entry.applied[name], empty)
      ? [[name, empty]]
      : [];
  });
  return cleared.length > 0 ? { ...declaration.spec, ...Object.fromEntries(cleared) } : declaration.spec;
}

/** Returns whether a field is declared, or was removed from the files but is not cleared yet. */
export function isManaged(declaration: Declaration, name: string, entry?: StateEntry): boolean {
  return isDeclared(declaration, name) || getDesiredSpec(declaration, entry)[name] !== undefined;
}

/** Returns whether the files contain a value for a field. */
export function isDeclared({ spec, references }: Declaration, name: string): boolean {
  return spec[name] !== undefined || references?.[name] !== undefined;
}

/** Returns the values that the state records when the object is in sync. */
export function toApplied(declaration: Declaration, desired: Spec): StateEntry["applied"] {
  return Object.fromEntries(
    listComparedFields(declaration, desired).map(([name, field]) => [
      name,
      toStoredValue(field, desired[name]),
    ]),
  );
}

function listComparedFields(declaration: Declaration, desired: Spec): [string, Field][] {
  return listReadableFields(declaration.kind).filter(([name]) => desired[name] !== undefined);
}

export function toDisplayType(field: Field): FieldChange["type"] {
  if (field.type !== "string") return field.type;
  return field.prose ? "prose" : "string";
}
