import { Unknown, type Value, type ValueRecord } from "@avatarops/terraform-plugin";
import { isMapping, toCanonicalId } from "../../base/text/index.js";
import {
  areValuesEqual,
  emptyValue,
  type Field,
  findDifferingFields,
  type Kind,
  type Value as KindValue,
  listReadableFields,
  mapTexts,
  type RemoteObject,
  type Spec,
} from "../../core/kinds/index.js";

/** The values of a resource by attribute: a configuration, a plan, a state. */
export type Values = ValueRecord;

/** The attribute of a field: that of a reference has the id. */
export function attributeOf({ fields }: Kind, field: string): string {
  return fields[field]?.type === "reference" ? `${field}_id` : field;
}

/** The attributes of the readable fields. */
export function readableAttributes(kind: Kind): readonly string[] {
  return listReadableFields(kind).map(([name]) => attributeOf(kind, name));
}

/** The id of an object as the service writes it. */
export function idOf({ id }: Values): string {
  return toCanonicalId(String(id));
}

/** The readable fields of a configuration or a state; null is left out, unless null means empty. */
export function toSpec(kind: Kind, values: Values): Spec {
  const entries = listReadableFields(kind).flatMap(([name, field]): [string, KindValue][] => {
    const value = fieldValue(field, values[attributeOf(kind, name)] ?? null);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

function fieldValue(field: Field, value: Value): KindValue | undefined {
  if (value === Unknown) return undefined;
  if (value === null) return emptyValue(field);
  if (field.type === "reference") return toCanonicalId(String(value));
  if (field.type === "list") return (value as readonly Value[]).map((entry) => known(field.item, entry));
  return field.type === "object" ? known(field, value) : (value as KindValue);
}

/** A value that is in a list, or an object; what is unknown in it is left out. */
function known(field: Field, value: Value): KindValue {
  if (field.type !== "object") return (fieldValue(field, value) ?? "") as KindValue;
  const parts = Object.entries(field.parts).flatMap(([name, part]): [string, KindValue][] => {
    const own = fieldValue(part, (value as Values)[name] ?? null);
    return own === undefined ? [] : [[name, own]];
  });
  return Object.fromEntries(parts);
}

/**
 * A live object as a state. Nothing, null and "" are one to the service and three to Terraform: where the service has
 * nothing, what `like` has for nothing stays, so that no change is reported where there is none. Keys the service gives to
 * the entries of lists are left out: they are its own.
 */
export function toState(kind: Kind, live: RemoteObject, like: Values): Values {
  const fields = Object.entries(kind.fields).map(([name, field]): [string, Value][] => {
    // What a profile makes a field of is computed here.
    if (name in kind.computed) return [];
    if (field.type === "string" && field.writeOnly) return [[`${name}_wo`, null]];
    const attribute = attributeOf(kind, name);
    return [[attribute, reflected(field, live.spec[name], like[attribute] ?? null)]];
  });
  // What the service did not return is kept, or is null.
  const computed = Object.keys(kind.computed).map((name) => {
    const before = like[name] ?? null;
    return [
      name,
      (live.computed[name] as Value | undefined) ?? (before === Unknown ? null : before),
    ] as const;
  });
  // An id as it was given, whatever case the service returns it in.
  const id = typeof like.id === "string" ? like.id : live.id;
  return { ...like, id, ...Object.fromEntries([...fields.flat(), ...computed]) };
}

function reflected(field: Field, live: KindValue | undefined, like: Value): Value {
  if (live === undefined) return like === Unknown ? null : like;
  if (field.type === "list" && Array.isArray(live)) {
    if (live.length === 0) return Array.isArray(like) && like.length === 0 ? like : null;
    const before = Array.isArray(like) ? like : [];
    return live.map((entry: KindValue, at) => reflectedEntry(field.item, entry, before[at] ?? null));
  }
  const isEmpty = live === "" || areValuesEqual(field, live, undefined);
  if (isEmpty && !field.required && (like === null || like === Unknown)) return null;
  return reflectedEntry(field, live, like);
}

/** The value itself, also if it is empty; of an object, each part as it is reflected. */
function reflectedEntry(field: Field, live: KindValue, like: Value): Value {
  if (field.type !== "object" || !isMapping(live)) return live as Value;
  const before = isMapping(like) ? (like as Values) : {};
  const parts = Object.entries(field.parts).map(([name, part]) => [
    name,
    reflected(part, (live[name] as KindValue | undefined) ?? emptyValue(part), before[name] ?? null),
  ]);
  return Object.fromEntries(parts) as Values;
}

/**
 * The values that were planned and not configured: Terraform accepts no others from an apply. The next refresh shows what else
 * has changed meanwhile.
 */
export function plannedComputed(kind: Kind, planned: Values): Values {
  const computed = Object.keys(kind.computed).filter((name) => planned[name] !== Unknown);
  const unset = listReadableFields(kind)
    .filter(([, field]) => emptyValue(field) === undefined)
    .map(([name]) => attributeOf(kind, name))
    .filter((name) => planned[name] === null);
  return Object.fromEntries([...computed, ...unset].map((name) => [name, planned[name] ?? null]));
}

/** The readable fields in which two objects differ. */
export function differences(kind: Kind, spec: Spec, other: Spec): readonly string[] {
  return findDifferingFields(kind, spec, other, normalizedValue);
}

/** In the form in which Terraform keeps every text, whatever the service has. */
export function normalizedValue(value: KindValue | undefined): KindValue | undefined {
  return value === undefined ? undefined : mapTexts(value, (text) => text.normalize());
}

/** The ids in a list of a state. */
export function idsIn(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** A value as JSON has it, without what is not set. */
export function toJson(value: Value): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toJson);
  const set = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(set.map(([name, entry]) => [name, toJson(entry as Value)]));
}
