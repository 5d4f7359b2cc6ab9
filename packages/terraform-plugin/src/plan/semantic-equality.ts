import type { Attribute, Attributes } from "../attribute.js";
import { emptyRecord, isList, isRecord, isWhollyKnown, own } from "../values/shape.js";
import type { Value } from "../values/value.js";

/** Returns whether two values are equivalent by the attribute's `semanticEquals`, for which both must be known. */
export function semanticallyEqual(attribute: Attribute, one: Value, other: Value): boolean {
  return Boolean(isWhollyKnown(one) && isWhollyKnown(other) && attribute.semanticEquals?.(one, other));
}

/**
 * Prepares an object that was read or written for the state: values equivalent to those in `before` keep the earlier form,
 * and write-only values are removed. Without an earlier object, nothing is kept.
 */
export function keepEqualPrior(attributes: Attributes, fresh: Value, before: Value): Value {
  if (!isRecord(fresh)) return fresh;
  const state = emptyRecord();
  // Includes unknown names, which the encoder refuses.
  for (const [name, value] of Object.entries(fresh)) {
    const attribute = own(attributes, name);
    const was = isRecord(before) ? (own(before, name) ?? null) : undefined;
    state[name] = attribute ? keepEqualAttribute(attribute, value, was) : value;
  }
  return state;
}

function keepEqualAttribute(attribute: Attribute, fresh: Value, before: Value | undefined): Value {
  if (attribute.writeOnly) return null;
  if (before !== undefined && semanticallyEqual(attribute, fresh, before)) return before;
  if ("type" in attribute) return fresh;
  const { attributes, nesting } = attribute;
  if (nesting === "single") return keepEqualPrior(attributes, fresh, before ?? null);
  if (!isList(fresh)) return fresh;
  const was = isList(before) ? before : [];
  return fresh.map((child, at) => keepEqualPrior(attributes, child, was[at] ?? null));
}
