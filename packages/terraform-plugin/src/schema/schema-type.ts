import type { Attribute, Attributes } from "../attribute.js";
import type { Type } from "../values/value.js";

/**
 * Returns the object type for these attributes, including write-only attributes. Cached, so the same `attributes` object
 * always has the same type object.
 */
export function toObjectType(attributes: Attributes): Type {
  const known = types.get(attributes);
  if (known) return known;
  const parts = Object.entries(attributes).map(([name, attribute]) => [name, toAttributeType(attribute)]);
  const type: Type = ["object", Object.fromEntries(parts)];
  types.set(attributes, type);
  return type;
}

const types = new WeakMap<Attributes, Type>();

function toAttributeType(attribute: Attribute): Type {
  if ("type" in attribute) return attribute.type;
  const element = toObjectType(attribute.attributes);
  return attribute.nesting === "single" ? element : [attribute.nesting, element];
}

/** Type of the resource identity. It is the same for every resource. */
export const identityType: Type = ["object", { id: "string" }];
