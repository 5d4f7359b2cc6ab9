import {
  comparable,
  digestOf,
  type Field,
  type Kind,
  readableFields,
  type Spec,
  type Value,
} from "../kinds/index.js";
import type { StoredValue } from "../state/index.js";

/** Longer values are remembered by digest: the state stays small, and readable in a review. */
const maxVerbatimLength = 200;

/** The value as the state keeps it. */
export function toStored(field: Field, value: Value | undefined): StoredValue {
  const plain = comparable(field, value) ?? "";
  const text = typeof plain === "string" ? plain : JSON.stringify(plain);
  return text.length <= maxVerbatimLength ? plain : { digest: digestOf(plain), length: text.length };
}

/** All given readable fields of a spec as the state keeps them. */
export function toStoredSpec(kind: Kind, spec: Spec): Record<string, StoredValue> {
  const kept: Record<string, StoredValue> = {};
  for (const [name, field] of readableFields(kind)) {
    const value = spec[name];
    if (value !== undefined) kept[name] = toStored(field, value);
  }
  return kept;
}

/** Whether the remembered value is this one. Nothing remembered equals nothing. */
export function matchesStored(
  field: Field,
  kept: StoredValue | undefined,
  value: Value | undefined,
): boolean {
  if (kept === undefined) return false;
  if (typeof kept === "object" && "digest" in kept) {
    const plain = comparable(field, value);
    // Before line ends ceased to count, the digest was taken of the text as it was.
    return plain !== null && (kept.digest === digestOf(plain) || kept.digest === digestOf(value));
  }
  return JSON.stringify(comparable(field, kept)) === JSON.stringify(comparable(field, value));
}

/** Whether every field of the spec is remembered as it is. */
export function specMatchesStored(
  kind: Kind,
  kept: Readonly<Record<string, StoredValue>>,
  spec: Spec,
): boolean {
  return readableFields(kind).every(
    ([name, field]) => spec[name] === undefined || matchesStored(field, kept[name], spec[name]),
  );
}

/** The remembered fields that the spec has otherwise. */
export function changedFields(
  kind: Kind,
  kept: Readonly<Record<string, StoredValue>>,
  spec: Spec,
): readonly string[] {
  return readableFields(kind)
    .filter(([name, field]) => kept[name] !== undefined && !matchesStored(field, kept[name], spec[name]))
    .map(([name]) => name);
}
