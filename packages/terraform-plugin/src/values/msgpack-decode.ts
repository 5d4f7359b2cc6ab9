import type { Path } from "../diagnostic.js";
import { readTokens, type Token, type Tokens } from "./msgpack-reader.js";
import { integerFrom, numberFrom } from "./number.js";
import { maxDepth, parseTypeText } from "./parse-type.js";
import { emptyRecord, isRecord, own, type ValueRecord } from "./shape.js";
import type { Type } from "./type.js";
import { Dynamic, type NumberValue, Unknown, type Value } from "./value.js";
import { ValueError } from "./value-error.js";

/**
 * The value of a type that these bytes stand for.
 *
 * @throws ValueError if they stand for none.
 */
export function decodeValue(bytes: Uint8Array, type: Type): Value {
  const walk: Walk = { tokens: readTokens(bytes), path: [], holdsUnknown: false };
  try {
    const value = decode(walk, type);
    if (!walk.tokens.ended()) throw new ValueError("more bytes follow the value");
    // What is known of something unknown is dropped on the way, and so is not to be sent back.
    if (isRecord(value) && !walk.holdsUnknown) origins.set(value, { bytes, type });
    return value;
  } catch (error) {
    // Below, nobody says where: the path as it stands is where the walk stopped.
    if (error instanceof ValueError) throw new ValueError(error.problem, walk.path);
    throw error;
  }
}

/** The bytes an object came in, if it came as that type. */
export function bytesAsReceived(value: Value | undefined, type: Type): Uint8Array | undefined {
  const origin = isRecord(value) ? origins.get(value) : undefined;
  return origin?.type === type ? origin.bytes : undefined;
}

/**
 * Most objects are sent back as they came: what is read again has rarely changed. So the bytes are kept for as long as
 * the object is in use, and what came is frozen, so that they stay true.
 */
const origins = new WeakMap<object, { readonly bytes: Uint8Array; readonly type: Type }>();

interface Walk {
  readonly tokens: Tokens;
  /** Where the walk is. */
  readonly path: Step[];
  /** Something unknown was met. */
  holdsUnknown: boolean;
}

type Step = Path[number];

function decode(walk: Walk, type: Type): Value {
  const token = walk.tokens.next();
  if (token.kind === "nil") return null;
  if (token.kind === "extension") {
    walk.holdsUnknown = true;
    return Unknown;
  }
  if (type === "string") return readText(token);
  if (type === "number") return readNumber(token);
  if (type === "bool") return token.kind === "bool" ? token.bool : unlike("a boolean", token);
  if (type === "dynamic") return decodeDynamic(walk, token);
  switch (type[0]) {
    case "list":
    case "set": {
      const [, element] = type;
      return decodeList(walk, token, () => element);
    }
    case "tuple": {
      const [, elements] = type;
      if (token.kind === "array" && token.length !== elements.length)
        throw new ValueError(`${elements.length} elements are required, but there are ${token.length}`);
      return decodeList(walk, token, (at) => elements[at]);
    }
    case "map": {
      const [, element] = type;
      return decodeRecord(walk, token, (key) => [{ key }, element]);
    }
    case "object":
      return decodeObject(walk, token, type[1]);
  }
}

function decodeList(walk: Walk, token: Token, typeAt: (at: number) => Type | undefined): Value {
  if (token.kind !== "array") return unlike("a list", token);
  return Object.freeze(Array.from({ length: token.length }, (_, at) => decodeAt(walk, at, typeAt(at))));
}

function decodeObject(walk: Walk, token: Token, types: { readonly [name: string]: Type }): Value {
  const record = decodeRecord(walk, token, (name) => [name, own(types, name)]);
  const missing = Object.keys(types).find((name) => !Object.hasOwn(record, name));
  if (missing !== undefined) throw new ValueError(`the attribute ${JSON.stringify(missing)} is missing`);
  return record;
}

function decodeRecord(
  walk: Walk,
  token: Token,
  partAt: (key: string) => [step: Step, type: Type | undefined],
): ValueRecord {
  if (token.kind !== "map") return unlike("an object", token);
  const record = emptyRecord();
  for (let count = 0; count < token.length; count += 1) {
    const key = readText(walk.tokens.next());
    if (Object.hasOwn(record, key)) throw new ValueError("a key is there twice");
    record[key] = decodeAt(walk, ...partAt(key));
  }
  return Object.freeze(record);
}

/** The child one step further in. On an error the walk stays where it is, for the message. */
function decodeAt(walk: Walk, step: Step, type: Type | undefined): Value {
  walk.path.push(step);
  if (type === undefined) throw new ValueError("there is no such attribute");
  if (walk.path.length > maxDepth) throw new ValueError("the value is nested too deeply");
  const value = decode(walk, type);
  walk.path.pop();
  return value;
}

/** `[type as JSON, value]`. */
function decodeDynamic(walk: Walk, token: Token): Value {
  if (token.kind !== "array" || token.length !== 2) return unlike("a value with its type", token);
  const named = walk.tokens.next();
  if (named.kind !== "binary" && named.kind !== "text") return unlike("a type", named);
  const type = parseTypeText(utf8(named.bytes));
  // A type of its own is a whole one. Were "dynamic" taken, values could be nested without end and without a path.
  if (type === "dynamic") throw new ValueError("the type of a dynamic value cannot be dynamic itself");
  return new Dynamic(type, decode(walk, type));
}

function readText(token: Token): string {
  return token.kind === "text" ? utf8(token.bytes) : unlike("a string", token);
}

function utf8(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw new ValueError("a string is not UTF-8");
  }
}

/** `ignoreBOM` keeps a byte order mark: it is part of the text. */
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readNumber(token: Token): NumberValue {
  if (token.kind === "int") return integerFrom(token.int);
  if (token.kind === "float" && Number.isInteger(token.float)) return integerFrom(BigInt(token.float));
  if (token.kind === "float" && Number.isFinite(token.float)) return token.float;
  const number = token.kind === "text" ? numberFrom(utf8(token.bytes)) : undefined;
  return number ?? unlike("a finite number", token);
}

function unlike(expected: string, { kind }: Token): never {
  throw new ValueError(`${expected} is required, but this is ${shapes[kind]}`);
}

const shapes: { readonly [K in Token["kind"]]: string } = {
  nil: "null",
  bool: "a boolean",
  int: "a number",
  float: "a number of another sort",
  text: "a string",
  binary: "binary data",
  array: "a list",
  map: "an object",
  extension: "unknown",
};
