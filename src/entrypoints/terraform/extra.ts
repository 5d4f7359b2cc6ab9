import {
  type Attribute,
  type AttributeProblem,
  Decimal,
  Dynamic,
  Unknown,
  type Value,
} from "@avatarops/terraform-plugin";
import { isExactInJson, type PresetFields, preset } from "../../core/kinds/index.js";
import type { Values } from "./values.js";

/** The attribute for what the service accepts in addition to these fields (§4.5): any object, sent as it is. */
export function extraAttribute(fields: PresetFields): Attribute {
  return {
    type: "dynamic",
    optional: true,
    sensitive: true,
    description: `${preset.extra.description} An object, with null as null.`,
    validate(value) {
      const inner = withoutType(value);
      if (inner === Unknown) return [];
      if (!isObject(inner))
        return [{ summary: `${preset.extra.key} is not an object`, detail: "Write { key = value, … }." }];
      const own = Object.keys(inner).filter((key) => Object.hasOwn(fields, key));
      return [
        ...own.map((key) => ({
          summary: `${key} is an attribute of its own`,
          detail: `Set ${key} beside ${preset.extra.key}.`,
        })),
        ...inexact(inner),
      ];
    },
  };
}

/** The keys of an extra value; undefined while they are unknown. */
export function extraKeys(value: Value): readonly string[] | undefined {
  const inner = withoutType(value);
  if (inner === Unknown) return undefined;
  return isObject(inner) ? Object.keys(inner) : [];
}

/** An extra value as JSON, with null as null. */
export function extraJson(value: Value): unknown {
  const inner = withoutType(value);
  if (inner instanceof Decimal) return Number(inner.text);
  if (typeof inner === "bigint") return Number(inner);
  if (Array.isArray(inner)) return inner.map(extraJson);
  if (!isObject(inner)) return inner;
  return Object.fromEntries(Object.entries(inner).map(([key, entry]) => [key, extraJson(entry)]));
}

/** Numbers that JSON cannot hold: they would be sent rounded. */
function inexact(value: Value): AttributeProblem[] {
  const inner = withoutType(value);
  const isRounded =
    (inner instanceof Decimal || typeof inner === "bigint" || typeof inner === "number") &&
    !isExactInJson(extraJson(inner) as number);
  if (isRounded) {
    const detail = "Write it as a text, if the service takes one.";
    return [{ summary: `A number in ${preset.extra.key} cannot be held exactly by JSON`, detail }];
  }
  if (Array.isArray(inner)) return inner.flatMap(inexact);
  return isObject(inner) ? Object.values(inner).flatMap(inexact) : [];
}

function withoutType(value: Value): Value {
  return value instanceof Dynamic ? withoutType(value.value) : value;
}

function isObject(value: Value): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Decimal);
}
