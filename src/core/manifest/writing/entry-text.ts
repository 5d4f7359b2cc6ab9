import {
  areValuesEqual,
  type Field,
  getEmptyValue,
  type Kind,
  type ObjectValue,
  type Spec,
  type Value,
} from "../../kinds/index.js";
import type { ValueSource } from "../../secrets/index.js";

export interface NamedObject {
  readonly kind: Kind;
  /** Logical name of the object. */
  readonly key: string;
  /** Id in the account, for kinds that are adopted by id. */
  readonly id?: string;
  readonly spec: Spec;
  readonly sources?: Readonly<Record<string, ValueSource>>;
}

/** Returns the fields to write, in the kind's field order. */
export function toFields({
  kind,
  id,
  spec,
  sources = {},
}: Omit<NamedObject, "key">): Record<string, Value | ValueSource> {
  const declared = toDeclaredSpec(kind, spec);
  const fields = Object.keys(kind.fields).flatMap((name) => {
    const part = declared[name] ?? sources[name];
    return part === undefined ? [] : [[name, part] as const];
  });
  return Object.fromEntries([...(id === undefined ? [] : [["id", id] as const]), ...fields]);
}

/**
 * Converts a spec to its notation in the files. Drops empty fields that are not required, and parts of list entries that are
 * empty or assigned by the service.
 */
export function toDeclaredSpec(kind: Kind, spec: Spec): Spec {
  return toDeclaredParts(kind.fields, spec);
}

function toDeclaredParts(fields: Readonly<Record<string, Field>>, values: Spec): Spec {
  const declared = Object.entries(fields).flatMap(([name, field]): [string, Value][] => {
    const value = values[name];
    const isEmpty =
      typeof value === "string" ? value === "" : areValuesEqual(field, value, getEmptyValue(field));
    return value === undefined || (isEmpty && !field.required) ? [] : [[name, toDeclaredValue(field, value)]];
  });
  return Object.fromEntries(declared);
}

/** Converts a value to its notation in the files (see {@link toDeclaredSpec}). */
export function toDeclaredValue(field: Field, value: Value): Value {
  if (field.type === "list" && Array.isArray(value))
    return value.map((entry: Value) => toDeclaredValue(field.item, entry));
  return field.type === "object" ? toDeclaredParts(field.parts, value as ObjectValue) : value;
}
