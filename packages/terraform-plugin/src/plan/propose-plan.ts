import type { Attribute, Attributes, NestedAttribute } from "../attribute.js";
import { isIdentical } from "../values/equal.js";
import { createEmptyRecord, getChild, isList, isRecord, type ValueRecord } from "../values/shape.js";
import { Unknown, type Value } from "../values/value.js";
import { isSemanticallyEqual } from "./semantic-equality.js";

/*
 * Returns the framework's plan, which the resource may refine. Each attribute gets one of these values:
 *
 *     set                 configured value, or the prior value if equivalent (`semanticEquals`)
 *     write-only          null, because only the configuration has the value
 *     computed            see below
 *     any other           null
 *
 * Computed attributes keep their prior values if only `stateOnly` attributes change. After any other change, those
 * without `useStateForUnknown` become unknown, because the provider writes the whole object. A computed attribute in
 * `unset` becomes null.
 *
 * Objects in a list are matched by position. Terraform's own proposal is not used, because it ignores `semanticEquals`.
 */
export function proposePlan(
  all: Attributes,
  config: ValueRecord,
  prior: ValueRecord | null,
  unset: readonly string[] = [],
): ValueRecord {
  const attributes = {
    ...all,
    ...Object.fromEntries(unset.map((name) => [name, removeComputed(all[name])])),
  };
  const still = completeObject(attributes, config, prior, (_, before) => before);
  if (prior && isIdentical(still, prior)) return prior;
  const isSame = ([name, { stateOnly }]: [string, Attribute]) =>
    stateOnly || isIdentical(still[name] ?? null, prior?.[name] ?? null);
  if (prior && Object.entries(attributes).every(isSame)) return still;
  return completeObject(attributes, config, prior, ({ useStateForUnknown: keep }, before) =>
    keep && (before !== null || (prior && keep === "even-null")) ? before : Unknown,
  );
}

function removeComputed(attribute: Attribute | undefined): Attribute {
  if (!attribute) throw new Error("Bug: `unset` contains an unknown attribute");
  const { computed: _, ...rest } = attribute;
  return rest;
}

type CompleteAttribute = (attribute: Attribute, before: Value) => Value;

/** Plans each attribute. Keeps a configured value, and takes a computed value from `complete`. */
function completeObject(
  attributes: Attributes,
  config: ValueRecord,
  prior: Value,
  complete: CompleteAttribute,
): ValueRecord {
  const planned = createEmptyRecord();
  for (const [name, attribute] of Object.entries(attributes)) {
    planned[name] = completeAttribute(attribute, config[name] ?? null, getChild(prior, name), complete);
  }
  return planned;
}

function completeAttribute(
  attribute: Attribute,
  config: Value,
  prior: Value,
  complete: CompleteAttribute,
): Value {
  if (attribute.writeOnly) return null;
  if (config === null) return attribute.computed ? complete(attribute, prior) : null;
  // An earlier null cannot replace a configured value, because Terraform would reject the plan.
  if (prior !== null && isSemanticallyEqual(attribute, config, prior)) return prior;
  return "nesting" in attribute ? completeParts(attribute, config, prior, complete) : config;
}

function completeParts(
  { nesting, attributes }: NestedAttribute,
  config: Value,
  prior: Value,
  complete: CompleteAttribute,
): Value {
  const completeElement = (child: Value, before: Value): Value =>
    isRecord(child) ? completeObject(attributes, child, before, complete) : child;
  if (nesting === "single") return completeElement(config, prior);
  if (!isList(config)) return config;
  const was = isList(prior) ? prior : [];
  return config.map((child, at) => completeElement(child, was[at] ?? null));
}
