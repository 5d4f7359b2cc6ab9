import {
  emptyValue,
  type Field,
  type Item,
  type Kind,
  type Spec,
  sameValue,
  type Value,
} from "../../kinds/index.js";
import type { ValueSource } from "../../secrets/index.js";

export interface NamedObject {
  readonly kind: Kind;
  /** Logical name. */
  readonly key: string;
  /** For kinds with adopted identity. */
  readonly id?: string;
  readonly spec: Spec;
  readonly sources?: Readonly<Record<string, ValueSource>>;
}

/** What is written of an object, in the order of the kind's field table. */
export function toFields({
  kind,
  id,
  spec,
  sources = {},
}: Omit<NamedObject, "key">): Record<string, Value | ValueSource> {
  const declared = declaredSpec(kind, spec);
  const fields = Object.keys(kind.fields).flatMap((name) => {
    const part = declared[name] ?? sources[name];
    return part === undefined ? [] : [[name, part] as const];
  });
  return Object.fromEntries([...(id === undefined ? [] : [["id", id] as const]), ...fields]);
}

/**
 * The spec in the form to write: without empty fields if that means the same, and without list keys that are
 * empty or server-assigned.
 */
export function declaredSpec(kind: Kind, spec: Spec): Spec {
  return declaredParts(kind.fields, spec);
}

function declaredParts(fields: Readonly<Record<string, Field>>, values: Spec): Spec {
  const declared = Object.entries(fields).flatMap(([name, field]): [string, Value][] => {
    const value = values[name];
    const isEmpty = typeof value === "string" ? value === "" : sameValue(field, value, emptyValue(field));
    return value === undefined || (isEmpty && !field.required) ? [] : [[name, declaredValue(field, value)]];
  });
  return Object.fromEntries(declared);
}

/** A value in the form to write: see {@link declaredSpec}. */
export function declaredValue(field: Field, value: Value): Value {
  if (field.type === "list" && Array.isArray(value))
    return value.map((entry: Value) => declaredValue(field.item, entry));
  return field.type === "object" ? declaredParts(field.parts, value as Item) : value;
}
