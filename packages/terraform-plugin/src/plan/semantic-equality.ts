import type { Attribute, Attributes } from "../attribute.js";
import { emptyRecord, isList, isRecord, isWhollyKnown, own } from "../values/shape.js";
import type { Value } from "../values/value.js";

/** Whether two values of an attribute mean the same by its own word, for which both must be known. */
export function semanticallyEqual(attribute: Attribute, one: Value, other: Value): boolean {
  return Boolean(isWhollyKnown(one) && isWhollyKnown(other) && attribute.semanticEquals?.(one, other));
}

/**
 * An object that was read or written, as the state is to have it: what means the same as `before` stays as it was, and
 * what is write-only is forgotten. Where there was no object before, nothing stays.
 */
export function keepEqualPrior(attributes: Attributes, fresh: Value, before: Value): Value {
  if (!isRecord(fresh)) return fresh;
  const state = emptyRecord();
  // Also what does not belong there, for the encoder to refuse it.
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
