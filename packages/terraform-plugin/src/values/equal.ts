import { childType } from "./children.js";
import { numberKey } from "./number.js";
import { isList, isNumber, isRecord } from "./shape.js";
import type { Type } from "./type.js";
import { Dynamic, Unknown, type Value } from "./value.js";

/**
 * Whether two values of a type are one and the same to the core: numbers by value, texts in NFC, sets in any order,
 * dynamic values by type and value. Unknown is the same as Unknown alone.
 */
export function sameValue(one: Value, other: Value, type: Type): boolean {
  return isAlike(one, other) || valueKey(one, type) === valueKey(other, type);
}

/** Whether two values are the same part for part. Most are that are compared, and then nothing need be written out. */
function isAlike(one: Value, other: Value): boolean {
  if (one === other) return true;
  if (isList(one) && isList(other))
    return one.length === other.length && one.every((part, at) => isAlike(part, other[at] ?? null));
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isAlike(one[name] ?? null, other[name] ?? null))
  );
}

/** Whether two texts are one to the core, which keeps all text in NFC. */
export function sameText(one: string, other: string): boolean {
  return one === other || settledText(one) === settledText(other);
}

/** A text that is equal for two values of a type exactly when they are the same. */
export function valueKey(value: Value, type: Type): string {
  if (value === Unknown) return "unknown";
  if (typeof value === "string") return textKey(value);
  if (isNumber(value)) return numberKey(value) ?? "no number";
  if (value instanceof Dynamic) return `${typeKey(value.type)} ${valueKey(value.value, value.type)}`;
  if (isList(value)) {
    const keys = value.map((part, at) => valueKey(part, childType(type, at)));
    return type[0] === "set" ? `{${[...new Set(keys)].sort()}}` : `[${keys}]`;
  }
  if (isRecord(value)) {
    const keys = Object.entries(value).map(
      ([name, part]) => `${textKey(name)}:${valueKey(part, childType(type, name))}`,
    );
    return `{${keys.sort()}}`;
  }
  return String(value);
}

function typeKey(type: Type): string {
  if (typeof type === "string") return type;
  if (type[0] === "tuple") return `tuple[${type[1].map(typeKey)}]`;
  if (type[0] !== "object") return `${type[0]}(${typeKey(type[1])})`;
  const keys = Object.entries(type[1]).map(([name, part]) => `${textKey(name)}:${typeKey(part)}`);
  return `object{${keys.sort()}}`;
}

function textKey(text: string): string {
  return JSON.stringify(settledText(text));
}

/** As the core will have it: NFC, and a lone surrogate replaced on the way. */
function settledText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd").normalize("NFC");
}
