import type { Attribute, Attributes } from "../attribute.js";
import { createEmptyRecord, getOwn, isList, isRecord, isWhollyKnown } from "../values/shape.js";
import type { Value } from "../values/value.js";

/** Returns whether both values are fully known and `semanticEquals` considers them equivalent. */
export function isSemanticallyEqual(attribute: Attribute, one: Value, other: Value): boolean {
  return Boolean(isWhollyKnown(one) && isWhollyKnown(other) && attribute.semanticEquals?.(one, other));
}

/**
 * Prepares an object for the state after a read or write. Keeps the earlier value (`before`) if the new one is
 * equivalent, and removes write-only values.
 */
export function keepEqualPrior(attributes: Attributes, fresh: Value, before: Value): Value {
  if (!isRecord(fresh)) return fresh;
  const state = createEmptyRecord();
  // Keeps names that the schema lacks, so that the encoder rejects them.
  for (const [name, value] of Object.entries(fresh)) {
    const attribute = getOwn(attributes, name);
    const was = isRecord(before) ? (getOwn(before, name) ?? null) : undefined;
    state[name] = attribute ? keepEqualAttribute(attribute, value, was) : value;
  }
  return state;
}

function keepEqualAttribute(attribute: Attribute, fresh: Value, before: Value | undefined): Value {
  if (attribute.writeOnly) return null;
  if (before !== undefined && isSemanticallyEqual(attribute, fresh, before)) return before;
  if ("type" in attribute) return fresh;
  const { attributes, nesting } = attribute;
  if (nesting === "single") return keepEqualPrior(attributes, fresh, before ?? null);
  if (!isList(fresh)) return fresh;
  const was = isList(before) ? before : [];
  return fresh.map((child, at) => keepEqualPrior(attributes, child, was[at] ?? null));
}
