import type { Attribute, Attributes } from "./attribute.js";
import { partIn } from "./parts.js";
import { distinct } from "./rules-always.js";
import { differences } from "./rules-apply.js";
import { attributeType, typeOf } from "./schema-type.js";
import { matched } from "./set-match.js";
import { emptyRecord, isList, isRecord, own } from "./shape.js";
import { isWhollyKnown } from "./unknowns.js";
import type { Value } from "./value.js";

/** Whether two values of an attribute mean the same by its own word, for which both must be known. */
export function isSame(attribute: Attribute, one: Value, other: Value): boolean {
  const type = attributeType(attribute);
  return Boolean(
    attribute.same && isWhollyKnown(one, type) && isWhollyKnown(other, type) && attribute.same(one, other),
  );
}

/**
 * An object that was read or written, as the state is to have it: what means the same as `before` stays as it was, and
 * what is write-only is forgotten. Where there was no object before, nothing stays.
 */
export function settled(attributes: Attributes, fresh: Value, before: Value): Value {
  if (!isRecord(fresh)) return fresh;
  const state = emptyRecord();
  // Also what does not belong there, for the rules to find it.
  for (const [name, value] of Object.entries(fresh)) {
    const attribute = own(attributes, name);
    const was = isRecord(before) ? (own(before, name) ?? null) : undefined;
    state[name] = attribute ? settledAttribute(attribute, value, was) : value;
  }
  return state;
}

function settledAttribute(attribute: Attribute, fresh: Value, before: Value | undefined): Value {
  if (attribute.writeOnly) return null;
  if (before !== undefined && isSame(attribute, fresh, before)) return before;
  if ("type" in attribute) return fresh;
  const { attributes, nesting } = attribute;
  if (nesting === "single") return settled(attributes, fresh, before ?? null);
  if (isList(fresh)) {
    const was = isList(before) ? before : [];
    const former = nesting === "list" ? was : formerly(attributes, fresh, was);
    const list = fresh.map((part, at) => settled(attributes, part, former[at] ?? null));
    // Elements that mean the same are still two: a set would make one of them.
    const element = typeOf(attributes);
    return nesting === "set" && distinct(list, element) < distinct(fresh, element) ? fresh : list;
  }
  if (!isRecord(fresh)) return fresh;
  const map = emptyRecord();
  for (const [key, part] of Object.entries(fresh))
    map[key] = settled(attributes, part, partIn(before ?? null, key));
  return map;
}

/** What each element of a set was: the one that it comes to when settled, but for what was still unknown. */
function formerly(attributes: Attributes, fresh: readonly Value[], was: readonly Value[]): readonly Value[] {
  if (!hasSame(attributes)) return [];
  const type = typeOf(attributes);
  return matched(
    fresh,
    was,
    type,
    (part, before) => differences(before, settled(attributes, part, before), type).length === 0,
  );
}

function hasSame(attributes: Attributes): boolean {
  return Object.values(attributes).some(
    (attribute) => attribute.same || ("nesting" in attribute && hasSame(attribute.attributes)),
  );
}
