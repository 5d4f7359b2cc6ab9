import { isList, isRecord, own } from "./shape.js";
import { Unknown, type Value } from "./value.js";

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
