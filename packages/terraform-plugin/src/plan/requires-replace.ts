import type { Attribute, Attributes } from "../attribute.js";
import type { Path } from "../diagnostic.js";
import { attributeType, objectType } from "../schema/schema-type.js";
import { childAt, childType, listChildren } from "../values/children.js";
import { sameValue } from "../values/equal.js";
import type { Type } from "../values/type.js";
import type { Value } from "../values/value.js";
import { pathText } from "../values/value-error.js";

/** Which changes of a plan make a new object necessary: of attributes marked so, or of all that the user sets. */
export function replacingPaths(input: {
  readonly attributes: Attributes;
  readonly prior: Value;
  readonly planned: Value;
  readonly whatever: boolean;
}): readonly Path[] {
  return changes(input.attributes, input.prior, input.planned, (attribute) =>
    Boolean(attribute.requiresReplace || (input.whatever && (attribute.required || attribute.optional))),
  );
}

/** In order, each once, and only those at which something changes: Terraform takes no others. */
export function changedPaths(
  paths: readonly Path[],
  attributes: Attributes,
  prior: Value,
  planned: Value,
): readonly Path[] {
  const type = objectType(attributes);
  const changed = paths.filter(
    (path) => !sameValue(valueAt(prior, path), valueAt(planned, path), typeAt(type, path)),
  );
  const byText = new Map(changed.map((path) => [pathText(path), path] as const));
  return [...byText].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, path]) => path);
}

function changes(
  attributes: Attributes,
  prior: Value,
  planned: Value,
  counts: (attribute: Attribute) => boolean,
  path: Path = [],
): readonly Path[] {
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    const here = [...path, name];
    const was = childAt(prior, name);
    const will = childAt(planned, name);
    if (sameValue(was, will, attributeType(attribute))) return [];
    if (counts(attribute)) return [here];
    if ("type" in attribute) return [];
    if (attribute.nesting === "single") return changes(attribute.attributes, was, will, counts, here);
    const type: Type = [attribute.nesting, objectType(attribute.attributes)];
    const steps = [...listChildren(was, type), ...listChildren(will, type)].map(({ step }) => step);
    return steps.flatMap((step) =>
      changes(attribute.attributes, valueAt(was, [step]), valueAt(will, [step]), counts, [...here, step]),
    );
  });
}

function valueAt(value: Value, path: Path): Value {
  return path.reduce<Value>((child, step) => childAt(child, stepKey(step)), value);
}

function typeAt(type: Type, path: Path): Type {
  return path.reduce<Type>((child, step) => childType(child, stepKey(step)), type);
}

function stepKey(step: Path[number]): string | number {
  return typeof step === "object" ? step.key : step;
}
