import type { Attribute, Attributes, NestedAttribute } from "../attribute.js";
import { identicalValue } from "../values/equal.js";
import { childAt, emptyRecord, isList, isRecord, type ValueRecord } from "../values/shape.js";
import { Unknown, type Value } from "../values/value.js";
import { semanticallyEqual } from "./semantic-equality.js";

/*
 * What the framework plans, before a resource has a word in it.
 *
 * A plan is the configuration, completed. Three sorts of attributes the user does not fill:
 *
 *     write-only          null: it is in the configuration alone
 *     computed            see below
 *     any other           null
 *
 * What the user does fill is planned as given, unless it means the same as what the object has (`semanticEquals`): then
 * it stays as it is, and no difference is shown.
 *
 * What a computed attribute will be depends on whether anything changes at all. So the configuration is completed twice.
 * First with what the object has: if that comes to the very object, nothing is to be done, and the plan is empty. It must
 * be, or it never would be. If only attributes change that the provider alone reads (`stateOnly`), the computed ones stay. Otherwise every computed attribute may come out differently, and is completed with
 * "unknown" – also deep inside of what did not change, since the provider is asked to write all of it – unless it is one
 * with `useStateForUnknown` and there is a state to use. What the user has `unset` becomes null, as if it were not
 * computed.
 *
 * Attributes of objects in a list belong to what was at the same position.
 *
 * Terraform sends a proposal of its own. It is not used: it is the first of the two completions without `semanticEquals`.
 */
export function proposePlan(
  all: Attributes,
  config: ValueRecord,
  prior: ValueRecord | null,
  unset: readonly string[] = [],
): ValueRecord {
  const attributes = { ...all, ...Object.fromEntries(unset.map((name) => [name, uncomputed(all[name])])) };
  const still = completed(attributes, config, prior, (_, before) => before);
  if (prior && identicalValue(still, prior)) return prior;
  const isSame = ([name, { stateOnly }]: [string, Attribute]) =>
    stateOnly || identicalValue(still[name] ?? null, prior?.[name] ?? null);
  if (prior && Object.entries(attributes).every(isSame)) return still;
  return completed(attributes, config, prior, ({ useStateForUnknown: keep }, before) =>
    keep && (before !== null || (prior && keep === "even-null")) ? before : Unknown,
  );
}

function uncomputed(attribute: Attribute | undefined): Attribute {
  if (!attribute) throw new Error("Bug: unset names an attribute that does not exist");
  const { computed: _, ...rest } = attribute;
  return rest;
}

/** What a computed attribute is completed with. */
type Complete = (attribute: Attribute, before: Value) => Value;

/** A configured object, completed. */
function completed(
  attributes: Attributes,
  config: ValueRecord,
  prior: Value,
  complete: Complete,
): ValueRecord {
  const planned = emptyRecord();
  for (const [name, attribute] of Object.entries(attributes)) {
    planned[name] = completedAttribute(attribute, config[name] ?? null, childAt(prior, name), complete);
  }
  return planned;
}

function completedAttribute(attribute: Attribute, config: Value, prior: Value, complete: Complete): Value {
  if (attribute.writeOnly) return null;
  if (config === null) return attribute.computed ? complete(attribute, prior) : null;
  // Null is no value of before to go back to: Terraform takes a configured value for null as a wrong plan.
  if (prior !== null && semanticallyEqual(attribute, config, prior)) return prior;
  return "nesting" in attribute ? completedParts(attribute, config, prior, complete) : config;
}

function completedParts(
  { nesting, attributes }: NestedAttribute,
  config: Value,
  prior: Value,
  complete: Complete,
): Value {
  const object = (child: Value, before: Value): Value =>
    isRecord(child) ? completed(attributes, child, before, complete) : child;
  if (nesting === "single") return object(config, prior);
  if (!isList(config)) return config;
  const was = isList(prior) ? prior : [];
  return config.map((child, at) => object(child, was[at] ?? null));
}
