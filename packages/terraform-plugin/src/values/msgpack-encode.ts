import type { Path } from "../diagnostic.js";
import { bytesAsReceived } from "./msgpack-decode.js";
import { newPacker, type Packer } from "./msgpack-writer.js";
import { numberKey } from "./number.js";
import { describeShape, isList, isNumber, isRecord, own } from "./shape.js";
import type { Type } from "./type.js";
import { Decimal, Dynamic, type NumberValue, Unknown, type Value } from "./value.js";
import { ValueError } from "./value-error.js";

/**
 * The bytes that stand for a value of a type.
 *
 * @throws ValueError that names the child which is not of its type.
 */
export function encodeValue(value: Value, type: Type): Uint8Array {
  const asReceived = bytesAsReceived(value, type);
  if (asReceived) return asReceived;
  const walk: Walk = { packer: newPacker(), path: [] };
  try {
    encode(walk, value, type);
    return walk.packer.bytes();
  } catch (error) {
    // As in decodeValue: the path as it stands is where the walk stopped.
    if (error instanceof ValueError) throw new ValueError(error.problem, walk.path);
    throw error;
  }
}

interface Walk {
  readonly packer: Packer;
  /** Where the walk is. */
  readonly path: Step[];
}

type Step = Path[number];

/** `value` may also be undefined or what JavaScript else has: providers are written by people. */
function encode(walk: Walk, value: Value | undefined, type: Type): void {
  if (value === null) walk.packer.nil();
  else if (value === Unknown) walk.packer.unknown();
  else if (typeof type === "string") encodeScalar(walk, value, type);
  else if (type[0] === "object") encodeObject(walk, value, type[1]);
  else if (type[0] === "tuple") encodeTuple(walk, value, type[1]);
  else if (type[0] === "map") {
    const [, element] = type;
    encodeRecord(walk, value, (key) => [{ key }, element]);
  } else {
    const [, element] = type;
    encodeList(walk, value, () => element);
  }
}

function encodeScalar(walk: Walk, value: Value | undefined, type: Scalar): void {
  if (type === "string" && typeof value === "string") walk.packer.text(value);
  else if (type === "bool" && typeof value === "boolean") walk.packer.bool(value);
  else if (type === "number" && isNumber(value)) encodeNumber(walk.packer, value);
  else if (type === "dynamic" && value instanceof Dynamic) encodeDynamic(walk, value);
  else throw unlike(scalars[type], value);
}

type Scalar = Extract<Type, string>;

const scalars: { readonly [T in Scalar]: string } = {
  string: "a string",
  bool: "a boolean",
  number: "a number",
  dynamic: "a dynamic value",
};

/** An int where 64 bits hold it; otherwise its decimal text, since a double would take digits from it. */
function encodeNumber(packer: Packer, value: NumberValue): void {
  if (numberKey(value) === undefined) throw new ValueError("this is no finite number");
  if (value instanceof Decimal) packer.text(value.text);
  else if (typeof value === "bigint" ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value))
    packer.int(value);
  else if (Number.isInteger(value))
    throw new ValueError("an integer beyond 2^53 has been rounded: give it as a bigint");
  else packer.text(String(value));
}

function encodeDynamic(walk: Walk, { type, value }: Dynamic): void {
  if (type === "dynamic") throw new ValueError("the type of a dynamic value cannot be dynamic itself");
  walk.packer.array(2);
  walk.packer.binary(JSON.stringify(type));
  encode(walk, value, type);
}

function encodeTuple(walk: Walk, value: Value | undefined, types: readonly Type[]): void {
  if (isList(value) && value.length !== types.length)
    throw new ValueError(`${types.length} elements are required, but there are ${value.length}`);
  encodeList(walk, value, (at) => types[at]);
}

function encodeList(walk: Walk, value: Value | undefined, typeAt: (at: number) => Type | undefined): void {
  if (!isList(value)) throw unlike("a list", value);
  walk.packer.array(value.length);
  value.forEach((element, at) => {
    encodeAt(walk, at, element, typeAt(at));
  });
}

function encodeObject(walk: Walk, value: Value | undefined, types: { readonly [name: string]: Type }): void {
  const missing = isRecord(value) && Object.keys(types).find((name) => own(value, name) === undefined);
  if (typeof missing === "string")
    throw new ValueError(`the attribute ${JSON.stringify(missing)} is missing`);
  encodeRecord(walk, value, (name) => [name, own(types, name)]);
}

function encodeRecord(
  walk: Walk,
  value: Value | undefined,
  partAt: (key: string) => [step: Step, type: Type | undefined],
): void {
  if (!isRecord(value)) throw unlike("an object", value);
  const entries = Object.entries(value);
  walk.packer.map(entries.length);
  for (const [key, child] of entries) {
    const [step, type] = partAt(key);
    walk.packer.text(key);
    encodeAt(walk, step, child, type);
  }
}

/** The child one step further in. On an error the walk stays where it is, for the message. */
function encodeAt(walk: Walk, step: Step, value: Value | undefined, type: Type | undefined): void {
  walk.path.push(step);
  if (type === undefined) throw new ValueError("there is no such attribute");
  encode(walk, value, type);
  walk.path.pop();
}

function unlike(expected: string, value: unknown): ValueError {
  return new ValueError(`${expected} is required, but this is ${describeShape(value)}`);
}
