import { Unknown, type Value } from "./value.js";

/** An object or a map. */
export type ValueRecord = { readonly [name: string]: Value };

/** Creates a record without a prototype, so that `__proto__` is an ordinary key. */
export function createEmptyRecord(): { [name: string]: Value } {
  return Object.create(null);
}

export function isRecord(value: unknown): value is ValueRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** Returns the value of a record's own key, if any. */
export function getOwn<Of>(record: { readonly [name: string]: Of }, key: string): Of | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Returns whether a value is a list. Narrows to a readonly array, unlike `Array.isArray`. */
export function isList(value: unknown): value is readonly Value[] {
  return Array.isArray(value);
}

/** Returns the child of a value. A child of null is null, and a child of an unknown value is unknown. */
export function getChild(value: Value, key: string | number): Value {
  if (value === Unknown) return Unknown;
  if (isList(value)) return value[Number(key)] ?? null;
  return isRecord(value) ? (getOwn(value, String(key)) ?? null) : null;
}

/** Returns whether a value is known at every depth. */
export function isWhollyKnown(value: Value): boolean {
  if (isList(value)) return value.every(isWhollyKnown);
  return isRecord(value) ? Object.values(value).every(isWhollyKnown) : value !== Unknown;
}

/** Describes the type of a value for messages, never the value itself. */
export function describeShape(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (value === Unknown) return "unknown";
  if (isList(value)) return "a list";
  if (value instanceof Uint8Array) return "a string";
  return isRecord(value) ? "an object" : `a ${typeof value}`;
}
