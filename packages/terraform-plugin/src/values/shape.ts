import { Unknown, type Value } from "./value.js";

/** An object or a map. */
export type ValueRecord = { readonly [name: string]: Value };

/** Without a prototype, so that `__proto__` is a key like any other. */
export function emptyRecord(): { [name: string]: Value } {
  return Object.create(null);
}

export function isRecord(value: unknown): value is ValueRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** What a record holds under a key of its own; undefined if it holds none. */
export function own<Of>(record: { readonly [name: string]: Of }, key: string): Of | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** `Array.isArray` for readonly arrays as well. */
export function isList(value: unknown): value is readonly Value[] {
  return Array.isArray(value);
}

/** What a value has at a place. A child of nothing is null, and one of something unknown is unknown. */
export function childAt(value: Value, key: string | number): Value {
  if (value === Unknown) return Unknown;
  if (isList(value)) return value[Number(key)] ?? null;
  return isRecord(value) ? (own(value, String(key)) ?? null) : null;
}

/** Whether nothing in a value is unknown, at any depth. */
export function isWhollyKnown(value: Value): boolean {
  if (isList(value)) return value.every(isWhollyKnown);
  return isRecord(value) ? Object.values(value).every(isWhollyKnown) : value !== Unknown;
}

/** What a value is, for messages: never the value itself. */
export function describeShape(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  if (value === Unknown) return "unknown";
  if (isList(value)) return "a list";
  if (value instanceof Uint8Array) return "a string";
  return isRecord(value) ? "an object" : `a ${typeof value}`;
}
