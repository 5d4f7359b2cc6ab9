import type { Attribute, Attributes } from "./attribute.js";
import type { BrokenRule } from "./broken-rule.js";
import type { Path } from "./diagnostic.js";
import { valueKey } from "./equal.js";
import { encodeValue } from "./msgpack.js";
import { partsOf } from "./parts.js";
import { typeOf } from "./schema-type.js";
import { isList, isRecord, own } from "./shape.js";
import type { Type } from "./type.js";
import { Unknown, type Value } from "./value.js";
import { ValueError } from "./value-error.js";

/** Rules of every answer: its type is that of the schema, and write-only attributes are null. */
export function brokenAlways(attributes: Attributes, answer: Value): readonly BrokenRule[] {
  return [...wrongType(answer, typeOf(attributes)), ...writtenBack(attributes, answer, [])];
}

/** Whatever is unknown, at any depth. */
export function unknownParts(value: Value, type: Type, path: Path = []): readonly BrokenRule[] {
  if (value === Unknown) return [{ path, rule: "must not be unknown any more" }];
  return partsOf(value, type).flatMap((part) => unknownParts(part.value, part.type, [...path, part.step]));
}

/** How many elements a set has at most: two that are the same are one, unless they may still come to differ. */
export function distinct(set: Value, element: Type): number {
  if (!isList(set)) return 0;
  const keys = set.map((one, at) => (unknownParts(one, element).length > 0 ? at : valueKey(one, element)));
  return new Set(keys).size;
}

/** Of the right type is what can be written as that type. */
function wrongType(answer: Value, type: Type): readonly BrokenRule[] {
  try {
    encodeValue(answer, type);
    return [];
  } catch (error) {
    if (error instanceof ValueError)
      return [{ path: error.path, rule: `must be of its type: ${error.problem}` }];
    throw error;
  }
}

function writtenBack(attributes: Attributes, answer: Value, path: Path): readonly BrokenRule[] {
  if (!isRecord(answer)) return [];
  return Object.entries(attributes).flatMap(([name, attribute]) =>
    writtenBackIn(attribute, own(answer, name) ?? null, [...path, name]),
  );
}

function writtenBackIn(attribute: Attribute, value: Value, path: Path): readonly BrokenRule[] {
  if (attribute.writeOnly)
    return value === null ? [] : [{ path, rule: "is write-only and must be null in every answer" }];
  if ("type" in attribute) return [];
  const { nesting, attributes } = attribute;
  if (nesting === "single") return writtenBack(attributes, value, path);
  const parts = partsOf(value, [nesting, typeOf(attributes)]);
  return parts.flatMap((part) => writtenBack(attributes, part.value, [...path, part.step]));
}
