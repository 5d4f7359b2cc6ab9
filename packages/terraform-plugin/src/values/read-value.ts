import type { Path } from "../diagnostic.js";
import { createEmptyRecord, describeShape, getOwn, isList, isRecord } from "./shape.js";
import { type Type, Unknown, type Value } from "./value.js";
import { ValueError } from "./value-error.js";

/**
 * Converts a received value, decoded from MessagePack or JSON, to a value of `type`. Strings may be bytes. Drops
 * attributes that the type lacks and sets missing ones to null, because a stored state may be older than the type.
 *
 * @throws ValueError with the path to a child that does not match its type.
 */
export function readValue(sent: unknown, type: Type, path: Path = []): Value {
  if (sent === null || sent === Unknown) return sent;
  if (typeof type === "string")
    return scalars[type](sent, path) ?? throwTypeMismatch(`a ${type}`, sent, path);
  switch (type[0]) {
    case "list": {
      const [, element] = type;
      if (!isList(sent)) return throwTypeMismatch("a list", sent, path);
      return sent.map((child, at) => readValue(child, element, [...path, at]));
    }
    case "map": {
      const [, element] = type;
      if (!isRecord(sent)) return throwTypeMismatch("an object", sent, path);
      const map = createEmptyRecord();
      for (const [key, child] of Object.entries(sent))
        map[key] = readValue(child, element, [...path, { key }]);
      return map;
    }
    case "object": {
      const [, types] = type;
      if (!isRecord(sent)) return throwTypeMismatch("an object", sent, path);
      const object = createEmptyRecord();
      for (const [name, child] of Object.entries(types))
        object[name] = readValue(getOwn(sent, name) ?? null, child, [...path, name]);
      return object;
    }
  }
}

const scalars = {
  string: readText,
  bool: (sent: unknown) => (typeof sent === "boolean" ? sent : undefined),
  number: readNumber,
};

function readText(sent: unknown, path: Path): string | undefined {
  if (!(sent instanceof Uint8Array)) return typeof sent === "string" ? sent : undefined;
  try {
    return strictUtf8.decode(sent);
  } catch {
    throw new ValueError("a string is not UTF-8", path);
  }
}

/** Decoder that rejects invalid UTF-8. `ignoreBOM` keeps a byte order mark, which is part of the string. */
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a number. Terraform calculates with 512 bits, and sends numbers that need more than 64 as decimal strings. */
function readNumber(sent: unknown, path: Path): number | undefined {
  const number = sent instanceof Uint8Array ? Number(readText(sent, path) || Number.NaN) : sent;
  if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new ValueError("an integer above 2^53 would be rounded", path);
  return number;
}

function throwTypeMismatch(expected: string, sent: unknown, path: Path): never {
  throw new ValueError(`expected ${expected}, found ${describeShape(sent)}`, path);
}
