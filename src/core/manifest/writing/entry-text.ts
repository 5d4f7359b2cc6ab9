import { emptyValue, type Kind, type Spec, sameValue, type Value } from "../../kinds/index.js";
import type { ValueSource } from "../../secrets/index.js";

export interface ProjectObject {
  readonly kind: Kind;
  /** Logical name. Default: derived from its label. */
  readonly key?: string;
  /** For kinds with adopted identity. */
  readonly id?: string;
  readonly spec: Spec;
  readonly sources?: Readonly<Record<string, ValueSource>>;
}

export type NamedObject = ProjectObject & { readonly key: string };

/** What is written of an object, in the order of the kind's field table. */
export function toFields({
  kind,
  id,
  spec,
  sources = {},
}: ProjectObject): Record<string, Value | ValueSource> {
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
  const declared = Object.entries(kind.fields).flatMap(([name, field]): [string, Value][] => {
    const value = spec[name];
    const isEmpty = typeof value === "string" ? value === "" : sameValue(field, value, emptyValue(field));
    if (value === undefined || (isEmpty && !field.required)) return [];
    if (typeof value !== "object") return [[name, value]];
    const assigned = field.type === "list" ? field.serverKeys : [];
    const isOwn = ([key, text]: [string, string]) => !assigned.includes(key) && text !== "";
    return [[name, value.map((item) => Object.fromEntries(Object.entries(item).filter(isOwn)))]];
  });
  return Object.fromEntries(declared);
}
