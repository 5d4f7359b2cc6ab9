import { decode, ExtData, encode } from "@msgpack/msgpack";
import type { Path } from "../diagnostic.js";
import { readValue } from "./read-value.js";
import { describeShape, getOwn, isList, isRecord } from "./shape.js";
import { type Type, Unknown, type Value } from "./value.js";
import { ValueError } from "./value-error.js";

/*
 * Encodes and decodes wire values as MessagePack, guided by their type. A value of the wrong shape causes a ValueError
 * with its path, because Terraform rejects the whole response if an object lacks an attribute or has an extra one.
 *
 * Decodes extension type 0 (unknown), type 12 (unknown with refinements) and all later types as Unknown. Dropping the
 * refinements is correct but less precise.
 *
 * Terraform stores every string in NFC, so strings in other forms come back changed (compare with `isIdentical`). A
 * lone surrogate, which UTF-8 cannot represent, is written as U+FFFD.
 */

/** @throws ValueError if the bytes are not a value of the type. */
export function decodeValue(bytes: Uint8Array, type: Type): Value {
  return readValue(replaceUnknown(unpack(bytes)), type);
}

function unpack(bytes: Uint8Array): unknown {
  const length = bytes.length;
  try {
    // Raw strings keep a leading byte order mark. The limits never reject valid input, because every entry takes at
    // least one byte.
    return decode(bytes, { rawStrings: true, maxArrayLength: length, maxMapLength: length });
  } catch {
    // The library's message may quote a key.
    throw new ValueError("the bytes are not a valid MessagePack value");
  }
}

function replaceUnknown(sent: unknown): unknown {
  if (sent instanceof ExtData || sent instanceof Date) return Unknown;
  if (isList(sent)) return sent.map(replaceUnknown);
  if (!isRecord(sent)) return sent;
  return Object.fromEntries(Object.entries(sent).map(([key, child]) => [key, replaceUnknown(child)]));
}

/**
 * Encodes a value of a type.
 *
 * @throws ValueError with the path to a child that does not match its type.
 */
export function encodeValue(value: Value, type: Type): Uint8Array {
  return encode(toWire(value, type, []));
}

const unknown = new ExtData(0, new Uint8Array(1));

/** Converts a value for the wire. `value` may be any JavaScript value, because a provider may have bugs. */
function toWire(value: Value | undefined, type: Type, path: Path): unknown {
  if (value === null) return null;
  if (value === Unknown) return unknown;
  if (typeof type === "string") {
    if (typeof value !== (type === "bool" ? "boolean" : type))
      return throwTypeMismatch(`a ${type}`, value, path);
    return typeof value === "number" ? toWireNumber(value, path) : toWellFormed(value);
  }
  switch (type[0]) {
    case "list": {
      const [, element] = type;
      if (!isList(value)) return throwTypeMismatch("a list", value, path);
      return Array.from(value, (child, at) => toWire(child, element, [...path, at]));
    }
    case "map": {
      const [, element] = type;
      if (!isRecord(value)) return throwTypeMismatch("an object", value, path);
      return mapToWire(value, (child, key) => toWire(child, element, [...path, { key }]));
    }
    case "object": {
      const [, types] = type;
      if (!isRecord(value)) return throwTypeMismatch("an object", value, path);
      const extra = Object.keys(value).find((name) => !Object.hasOwn(types, name));
      if (extra !== undefined) throw new ValueError("the attribute does not exist", [...path, extra]);
      const missing = Object.keys(types).find((name) => getOwn(value, name) === undefined);
      if (missing !== undefined)
        throw new ValueError(`the attribute ${JSON.stringify(missing)} is missing`, path);
      return mapToWire(types, (child, name) => toWire(value[name], child, [...path, name]));
    }
  }
}

/** Writes a fraction as a decimal string, so that 0.1 is a tenth and not the nearest double. */
function toWireNumber(value: number, path: Path): number | string {
  if (!Number.isFinite(value)) throw new ValueError("not a finite number", path);
  if (Number.isSafeInteger(value)) return value;
  if (Number.isInteger(value)) throw new ValueError("an integer beyond 2^53 may have been rounded", path);
  return String(value);
}

function toWellFormed<Of>(value: Of): Of | string {
  return typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value;
}

function mapToWire<From>(
  record: { readonly [key: string]: From },
  to: (value: From, key: string) => unknown,
) {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [toWellFormed(key), to(value, key)]),
  );
}

function throwTypeMismatch(expected: string, value: unknown, path: Path): never {
  throw new ValueError(`expected ${expected}, found ${describeShape(value)}`, path);
}
