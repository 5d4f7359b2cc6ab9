import type { Attributes } from "../attribute.js";
import type { Path } from "../diagnostic.js";
import { childAt } from "../values/children.js";
import { sameValue } from "../values/equal.js";
import { isList } from "../values/shape.js";
import type { Value } from "../values/value.js";

/** Where a plan changes an attribute that makes a new object necessary. Terraform takes no other places. */
export function replacingPaths(
  attributes: Attributes,
  prior: Value,
  planned: Value,
  path: Path = [],
): readonly Path[] {
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    const here = [...path, name];
    const was = childAt(prior, name);
    const will = childAt(planned, name);
    if (sameValue(was, will)) return [];
    if (attribute.requiresReplace) return [here];
    if ("type" in attribute) return [];
    if (attribute.nesting === "single") return replacingPaths(attribute.attributes, was, will, here);
    const places = Math.max(...[was, will].map((list) => (isList(list) ? list.length : 0)));
    return Array.from({ length: places }).flatMap((_, at) =>
      replacingPaths(attribute.attributes, childAt(was, at), childAt(will, at), [...here, at]),
    );
  });
}
