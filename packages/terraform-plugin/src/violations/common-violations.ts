import type { Attribute, Attributes } from "../attribute.js";
import type { Path } from "../diagnostic.js";
import { objectType } from "../schema/schema-type.js";
import { listChildren } from "../values/children.js";
import { valueKey } from "../values/equal.js";
import { encodeValue } from "../values/msgpack.js";
import { isList, isRecord, own } from "../values/shape.js";
import type { Type } from "../values/type.js";
import { Unknown, type Value } from "../values/value.js";
import { ValueError } from "../values/value-error.js";
import type { Violation } from "./violation.js";

/** Rules of every answer: its type is that of the schema, and write-only attributes are null. */
export function commonViolations(attributes: Attributes, answer: Value): readonly Violation[] {
  return [...wrongType(answer, objectType(attributes)), ...writtenBack(attributes, answer, [])];
}

/** Whatever is unknown, at any depth. */
export function unknownViolations(value: Value, type: Type, path: Path = []): readonly Violation[] {
  if (value === Unknown) return [{ path, rule: "must not be unknown any more" }];
  return listChildren(value, type).flatMap((child) =>
    unknownViolations(child.value, child.type, [...path, child.step]),
  );
}

/** How many elements a set has at most: two that are the same are one, unless they may still come to differ. */
export function countDistinct(set: Value, element: Type): number {
  if (!isList(set)) return 0;
  const keys = set.map((one, at) =>
    unknownViolations(one, element).length > 0 ? at : valueKey(one, element),
  );
  return new Set(keys).size;
}

/** A value that can be written as a type has that type. */
function wrongType(answer: Value, type: Type): readonly Violation[] {
  try {
    encodeValue(answer, type);
    return [];
  } catch (error) {
    if (error instanceof ValueError)
      return [{ path: error.path, rule: `must be of its type: ${error.problem}` }];
    throw error;
  }
}

function writtenBack(attributes: Attributes, answer: Value, path: Path): readonly Violation[] {
  if (!isRecord(answer)) return [];
  return Object.entries(attributes).flatMap(([name, attribute]) =>
    writtenBackIn(attribute, own(answer, name) ?? null, [...path, name]),
  );
}

function writtenBackIn(attribute: Attribute, value: Value, path: Path): readonly Violation[] {
  if (attribute.writeOnly)
    return value === null ? [] : [{ path, rule: "is write-only and must be null in every answer" }];
  if ("type" in attribute) return [];
  const { nesting, attributes } = attribute;
  if (nesting === "single") return writtenBack(attributes, value, path);
  const children = listChildren(value, [nesting, objectType(attributes)]);
  return children.flatMap((child) => writtenBack(attributes, child.value, [...path, child.step]));
}
