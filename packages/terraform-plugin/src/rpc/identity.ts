import type { Identity } from "../protocol/messages.js";
import type { MessageInput, MessageOf } from "../protocol/protobuf.js";
import { identityType } from "../schema/schema-type.js";
import { decodeDynamicValue, encodeDynamicValue } from "../values/dynamic-value.js";
import { getChild } from "../values/shape.js";
import { Unknown, type Value } from "../values/value.js";

/** Returns the identity of an object in a state or a plan, or undefined while the id is unknown. */
export function encodeIdentity(object: Value): MessageInput<typeof Identity> | undefined {
  const id = getChild(object, "id");
  if (id === null || id === Unknown) return undefined;
  return { data: encodeDynamicValue({ id }, identityType) };
}

/** Returns the id in an identity from the wire, if any. */
export function decodeIdentity(sent: MessageOf<typeof Identity> | undefined): string | undefined {
  const id = getChild(decodeDynamicValue(sent?.data, identityType), "id");
  return typeof id === "string" ? id : undefined;
}
