import type { Attributes } from "../attribute.js";
import type { Identity } from "../protocol/messages.js";
import type { Draft, MessageOf } from "../protocol/protobuf.js";
import type { Resource } from "../provider.js";
import { identityAttributes } from "../schema/schema-type.js";
import { decodeRequiredObject, encodeObject } from "../values/dynamic-value.js";
import { childAt, type ValueRecord } from "../values/shape.js";
import { Unknown, type Value } from "../values/value.js";

type Identified = Pick<Resource<Attributes, unknown>, "attributes" | "identity">;

/** The identity of an object in a state or a plan; undefined while some of it is not known. */
export function encodeIdentity(resource: Identified, object: Value): Draft<typeof Identity> | undefined {
  const attributes = identityAttributes(resource);
  if (!attributes || object === null) return undefined;
  const values = Object.keys(attributes).map((name) => [name, childAt(object, name)] as const);
  if (values.some(([, value]) => value === null || value === Unknown)) return undefined;
  return { data: encodeObject(Object.fromEntries(values), attributes) };
}

/** An identity from the wire; undefined where there is none. */
export function decodeIdentity(
  resource: Identified,
  sent: MessageOf<typeof Identity> | undefined,
): ValueRecord | undefined {
  const attributes = identityAttributes(resource);
  return sent?.data && attributes ? decodeRequiredObject(sent.data, attributes) : undefined;
}
