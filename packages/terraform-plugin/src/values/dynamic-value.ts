import type { Attributes } from "../attribute.js";
import type { DynamicValue } from "../protocol/messages.js";
import type { MessageInput, MessageOf } from "../protocol/protobuf.js";
import type { PrivateState } from "../provider.js";
import { toObjectType } from "../schema/schema-type.js";
import { decodeValue, encodeValue } from "./msgpack.js";
import { createEmptyRecord, describeShape, isRecord, type ValueRecord } from "./shape.js";
import type { Type, Value } from "./value.js";
import { ValueError } from "./value-error.js";

type ReceivedValue = MessageOf<typeof DynamicValue> | undefined;

/**
 * Decodes a value from the wire.
 *
 * @throws ValueError
 */
export function decodeDynamicValue(sent: ReceivedValue, type: Type): Value {
  return sent && sent.msgpack.length > 0 ? decodeValue(sent.msgpack, type) : null;
}

/**
 * Parses JSON without quoting it in errors.
 *
 * @throws ValueError
 */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    // The parser's message quotes its input, which may contain a secret.
    throw new ValueError("the value is not valid JSON");
  }
}

/** Decodes an object from the wire. Returns null if there is none. */
export function decodeObject(sent: ReceivedValue, attributes: Attributes): ValueRecord | null {
  const value = decodeDynamicValue(sent, toObjectType(attributes));
  if (value === null || isRecord(value)) return value;
  throw new ValueError(`expected an object, found ${describeShape(value)}`);
}

export function decodeRequiredObject(sent: ReceivedValue, attributes: Attributes): ValueRecord {
  const value = decodeObject(sent, attributes);
  if (value) return value;
  throw new ValueError("expected an object, found null");
}

/**
 * Encodes a value for the wire.
 *
 * @throws Error if the value does not match the type, which is a provider bug. ValueError is only for received values.
 */
export function encodeDynamicValue(value: Value, type: Type): MessageInput<typeof DynamicValue> {
  try {
    return { msgpack: encodeValue(value, type) };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new Error(`Bug: the response does not match its type: ${error.message}`, { cause: error });
  }
}

export function encodeObject(value: Value, attributes: Attributes): MessageInput<typeof DynamicValue> {
  return encodeDynamicValue(value, toObjectType(attributes));
}

/** Returns an object whose attributes are all null. */
export function createNullObject(attributes: Attributes): ValueRecord {
  const record = createEmptyRecord();
  for (const name of Object.keys(attributes)) record[name] = null;
  return record;
}

/** Reads stored private data. Ignores unreadable data, because users may edit a state by hand. */
export function decodePrivate(sent: Uint8Array | undefined): PrivateState {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(sent ?? []).toString());
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

export function encodePrivate(kept: PrivateState): Uint8Array {
  return Buffer.from(JSON.stringify(kept));
}
