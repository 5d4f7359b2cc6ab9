import { listChildren } from "./children.js";
import type { Type } from "./type.js";
import { Unknown, type Value } from "./value.js";

/** Whether nothing in a value is unknown, at any depth. */
export function isWhollyKnown(value: Value, type: Type): boolean {
  return (
    value !== Unknown && listChildren(value, type).every((child) => isWhollyKnown(child.value, child.type))
  );
}
