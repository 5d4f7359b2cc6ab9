import type { Attribute, Attributes } from "../attribute.js";
import { attributeType, objectType } from "../schema/schema-type.js";
import { childAt, isWhollyKnown } from "../values/children.js";
import { emptyRecord, isList, isRecord, own } from "../values/shape.js";
import type { Value } from "../values/value.js";
import { planDifferences } from "../violations/apply-violations.js";
import { countDistinct } from "../violations/common-violations.js";
import { matchElements } from "./match-elements.js";

/** Whether two values of an attribute mean the same by its own word, for which both must be known. */
export function semanticallyEqual(attribute: Attribute, one: Value, other: Value): boolean {
  const type = attributeType(attribute);
  return Boolean(
    attribute.semanticEquals &&
      isWhollyKnown(one, type) &&
      isWhollyKnown(other, type) &&
      attribute.semanticEquals(one, other),
  );
}

/**
 * An object that was read or written, as the state is to have it: what means the same as `before` stays as it was, and
 * what is write-only is forgotten. Where there was no object before, nothing stays.
 */
export function keepEqualPrior(attributes: Attributes, fresh: Value, before: Value): Value {
  if (!isRecord(fresh)) return fresh;
  const state = emptyRecord();
  // Also what does not belong there, for the rules to find it.
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
  if (isList(fresh)) {
    const was = isList(before) ? before : [];
    const former = nesting === "list" ? was : priorElements(attributes, fresh, was);
    const list = fresh.map((child, at) => keepEqualPrior(attributes, child, former[at] ?? null));
    // Elements that mean the same are still two: a set would make one of them.
    const element = objectType(attributes);
    return nesting === "set" && countDistinct(list, element) < countDistinct(fresh, element) ? fresh : list;
  }
  if (!isRecord(fresh)) return fresh;
  const map = emptyRecord();
  for (const [key, child] of Object.entries(fresh))
    map[key] = keepEqualPrior(attributes, child, childAt(before ?? null, key));
  return map;
}

/** What each element of a set was: the one that it comes to with prior values kept, but for what was still unknown. */
function priorElements(
  attributes: Attributes,
  fresh: readonly Value[],
  was: readonly Value[],
): readonly Value[] {
  if (!hasSemanticEquals(attributes)) return [];
  const type = objectType(attributes);
  return matchElements(
    fresh,
    was,
    type,
    (child, before) => planDifferences(before, keepEqualPrior(attributes, child, before), type).length === 0,
  );
}

function hasSemanticEquals(attributes: Attributes): boolean {
  return Object.values(attributes).some(
    (attribute) =>
      attribute.semanticEquals || ("nesting" in attribute && hasSemanticEquals(attribute.attributes)),
  );
}
