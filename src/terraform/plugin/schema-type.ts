import type { Attribute, Attributes } from "./attribute.js";
import type { Type } from "./type.js";

/** The type of the object that has these attributes, write-only ones among them. */
export function typeOf(attributes: Attributes): Type {
  const types = Object.entries(attributes).map(([name, attribute]) => [name, attributeType(attribute)]);
  return ["object", Object.fromEntries(types)];
}

/** The type of an attribute's value. */
export function attributeType(attribute: Attribute): Type {
  if ("type" in attribute) return attribute.type;
  const element = typeOf(attribute.attributes);
  return attribute.nesting === "single" ? element : [attribute.nesting, element];
}
