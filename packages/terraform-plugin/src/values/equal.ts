import { childType } from "./children.js";
import { numberKey } from "./number.js";
import { isList, isNumber, isRecord } from "./shape.js";
import type { Type } from "./type.js";
import { Dynamic, Unknown, type Value } from "./value.js";

/**
 * Whether two values of a type are one and the same to Terraform: numbers by value, texts in NFC, sets in any order,
 * dynamic values by type and value. Unknown is the same only as Unknown.
 */
export function sameValue(one: Value, other: Value, type: Type): boolean {
  return isAlike(one, other) || valueKey(one, type) === valueKey(other, type);
}

/** Whether two values are the same child for child. Most are that are compared, and then nothing need be written out. */
function isAlike(one: Value, other: Value): boolean {
  if (one === other) return true;
  if (isList(one) && isList(other))
    return one.length === other.length && one.every((child, at) => isAlike(child, other[at] ?? null));
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isAlike(one[name] ?? null, other[name] ?? null))
  );
}

/** Whether two texts are one to Terraform, which keeps all text in NFC. */
export function sameText(one: string, other: string): boolean {
  return one === other || normalizedText(one) === normalizedText(other);
}

/** A text that is equal for two values of a type exactly when they are the same. */
function valueKey(value: Value, type: Type): string {
  if (value === Unknown) return "unknown";
  if (typeof value === "string") return textKey(value);
  if (isNumber(value)) return numberKey(value) ?? "no number";
  if (value instanceof Dynamic) return `${typeKey(value.type)} ${valueKey(value.value, value.type)}`;
  if (isList(value)) {
    const keys = value.map((child, at) => valueKey(child, childType(type, at)));
    return type[0] === "set" ? `{${[...new Set(keys)].sort()}}` : `[${keys}]`;
  }
  if (isRecord(value)) {
    const keys = Object.entries(value).map(
      ([name, child]) => `${textKey(name)}:${valueKey(child, childType(type, name))}`,
    );
    return `{${keys.sort()}}`;
  }
  return String(value);
}

function typeKey(type: Type): string {
  if (typeof type === "string") return type;
  if (type[0] === "tuple") return `tuple[${type[1].map(typeKey)}]`;
  if (type[0] !== "object") return `${type[0]}(${typeKey(type[1])})`;
  const keys = Object.entries(type[1]).map(([name, child]) => `${textKey(name)}:${typeKey(child)}`);
  return `object{${keys.sort()}}`;
}

function textKey(text: string): string {
  return JSON.stringify(normalizedText(text));
}

/** As Terraform will have it: NFC, and a lone surrogate replaced on the way. */
function normalizedText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd").normalize("NFC");
}
