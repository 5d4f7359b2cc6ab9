import { Unknown, type Value, type ValueRecord } from "@avatarops/terraform-plugin";
import { isMapping, toCanonicalId } from "../../base/text/index.js";
import {
  areValuesEqual,
  type Field,
  findDifferingFields,
  getEmptyValue,
  type Kind,
  type Value as KindValue,
  listReadableFields,
  mapTexts,
  type RemoteObject,
  type Spec,
} from "../../core/kinds/index.js";

/** Attribute values of a configuration, plan or state. */
export type AttributeValues = ValueRecord;

/** Returns the name of a field's attribute. For a reference, the name ends with `_id`. */
export function toAttributeName({ fields }: Kind, field: string): string {
  return fields[field]?.type === "reference" ? `${field}_id` : field;
}

export function listReadableAttributes(kind: Kind): readonly string[] {
  return listReadableFields(kind).map(([name]) => toAttributeName(kind, name));
}

/** Returns the id in the service's letter case. */
export function toObjectId({ id }: AttributeValues): string {
  return toCanonicalId(String(id));
}

/**
 * Converts a configuration or Terraform state to a spec of its readable fields. Omits null, except where it means
 * empty.
 */
export function toSpec(kind: Kind, values: AttributeValues): Spec {
  const entries = listReadableFields(kind).flatMap(([name, field]): [string, KindValue][] => {
    const value = toFieldValue(field, values[toAttributeName(kind, name)] ?? null);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

function toFieldValue(field: Field, value: Value): KindValue | undefined {
  if (value === Unknown) return undefined;
  if (value === null) return getEmptyValue(field);
  if (field.type === "reference") return toCanonicalId(String(value));
  if (field.type === "list")
    return (value as readonly Value[]).map((entry) => toNestedValue(field.item, entry));
  return field.type === "object" ? toNestedValue(field, value) : (value as KindValue);
}

/** Converts an object or a list element. Omits unknown parts. */
function toNestedValue(field: Field, value: Value): KindValue {
  if (field.type !== "object") return (toFieldValue(field, value) ?? "") as KindValue;
  const parts = Object.entries(field.parts).flatMap(([name, part]): [string, KindValue][] => {
    const child = toFieldValue(part, (value as AttributeValues)[name] ?? null);
    return child === undefined ? [] : [[name, child]];
  });
  return Object.fromEntries(parts);
}

/**
 * Converts a live object to a Terraform state. An empty value keeps its form in `like`, because only Terraform
 * distinguishes missing, null and "". Omits keys that the service adds to list entries.
 */
export function toState(kind: Kind, live: RemoteObject, like: AttributeValues): AttributeValues {
  const fields = Object.entries(kind.fields).map(([name, field]): [string, Value][] => {
    // A profile can turn a computed attribute into a field. It stays computed in Terraform.
    if (name in kind.computed) return [];
    if (field.type === "string" && field.writeOnly) return [[`${name}_wo`, null]];
    const attribute = toAttributeName(kind, name);
    return [[attribute, reflectValue(field, live.spec[name], like[attribute] ?? null)]];
  });
  // Keeps computed values that the service did not return. A read attribute without a value was cleared.
  const computed = Object.keys(kind.computed).map((name): [string, Value] => {
    if (name in live.computed) return [name, (live.computed[name] as Value | undefined) ?? null];
    const before = like[name] ?? null;
    return [name, before === Unknown ? null : before];
  });
  // Keeps the letter case of a configured id.
  const id = typeof like.id === "string" ? like.id : live.id;
  return { ...like, id, ...Object.fromEntries([...fields.flat(), ...computed]) };
}

function reflectValue(field: Field, live: KindValue | undefined, like: Value): Value {
  if (live === undefined) return like === Unknown ? null : like;
  if (field.type === "list" && Array.isArray(live)) {
    if (live.length === 0) return Array.isArray(like) && like.length === 0 ? like : null;
    const before = Array.isArray(like) ? like : [];
    return live.map((entry: KindValue, at) => reflectEntry(field.item, entry, before[at] ?? null));
  }
  const isEmpty = live === "" || areValuesEqual(field, live, undefined);
  if (isEmpty && !field.required && (like === null || like === Unknown)) return null;
  return reflectEntry(field, live, like);
}

/** Converts a value. The parts of an object are converted like separate fields. */
function reflectEntry(field: Field, live: KindValue, like: Value): Value {
  if (field.type !== "object" || !isMapping(live)) return live as Value;
  const before = isMapping(like) ? (like as AttributeValues) : {};
  const parts = Object.entries(field.parts).map(([name, part]) => [
    name,
    reflectValue(part, (live[name] as KindValue | undefined) ?? getEmptyValue(part), before[name] ?? null),
  ]);
  return Object.fromEntries(parts) as AttributeValues;
}

/**
 * Returns the planned values of attributes that are not configured. After an apply, Terraform rejects any other values,
 * so values that the service changed appear only with the next refresh.
 */
export function keepPlannedValues(kind: Kind, planned: AttributeValues): AttributeValues {
  const computed = Object.keys(kind.computed).filter((name) => planned[name] !== Unknown);
  const unset = listReadableFields(kind)
    .filter(([, field]) => getEmptyValue(field) === undefined)
    .map(([name]) => toAttributeName(kind, name))
    .filter((name) => planned[name] === null);
  return Object.fromEntries([...computed, ...unset].map((name) => [name, planned[name] ?? null]));
}

/** Finds the readable fields that differ between two objects. */
export function findDifferences(kind: Kind, spec: Spec, other: Spec): readonly string[] {
  return findDifferingFields(kind, spec, other, normalizeValue);
}

/** Normalizes strings to Unicode NFC, like Terraform. */
export function normalizeValue(value: KindValue | undefined): KindValue | undefined {
  return value === undefined ? undefined : mapTexts(value, (text) => text.normalize());
}

/** Reads a list of ids from a Terraform state. */
export function readIds(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Converts a value to JSON without null attributes. */
export function toJson(value: Value): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toJson);
  const set = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(set.map(([name, entry]) => [name, toJson(entry as Value)]));
}
