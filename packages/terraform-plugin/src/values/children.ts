import type { Path } from "../diagnostic.js";
import { isList, isRecord, own } from "./shape.js";
import type { Type } from "./type.js";
import { Dynamic, Unknown, type Value } from "./value.js";

/** A child of a value: an element, or an attribute. */
interface Child {
  readonly step: Path[number];
  readonly value: Value;
  readonly type: Type;
}

/** The children of a value of a type; empty if it is null, unknown, or has no children. */
function listChildren(value: Value, type: Type): readonly Child[] {
  if (value instanceof Dynamic) return listChildren(value.value, value.type);
  if (isList(value)) return value.map((child, at) => ({ step: at, value: child, type: childType(type, at) }));
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([key, child]) => ({
    step: type[0] === "map" ? { key } : key,
    value: child,
    type: childType(type, key),
  }));
}

/** What a value has at a place. A child of nothing is null, and one of something unknown is unknown. */
export function childAt(value: Value, key: string | number): Value {
  if (value === Unknown) return Unknown;
  if (isList(value)) return value[Number(key)] ?? null;
  return isRecord(value) ? (own(value, String(key)) ?? null) : null;
}

/** The type of a child; "dynamic" for one that should not be there. */
export function childType(type: Type, at: string | number): Type {
  if (typeof type === "string") return "dynamic";
  if (type[0] === "tuple") return type[1][Number(at)] ?? "dynamic";
  if (type[0] === "object") return own(type[1], String(at)) ?? "dynamic";
  return type[1];
}

/** Whether nothing in a value is unknown, at any depth. */
export function isWhollyKnown(value: Value, type: Type): boolean {
  return (
    value !== Unknown && listChildren(value, type).every((child) => isWhollyKnown(child.value, child.type))
  );
}
