import type { Attribute, Attributes, NestedAttribute } from "../attribute.js";
import { typeOf } from "../schema/schema-type.js";
import { childAt } from "../values/children.js";
import { sameValue } from "../values/equal.js";
import { emptyRecord, isList, isRecord, type ValueRecord } from "../values/shape.js";
import { Unknown, type Value } from "../values/value.js";
import { matchElements } from "./match-elements.js";
import { semanticallyEqual } from "./semantic-equality.js";

/*
 * What the framework plans, before a resource has a word in it.
 *
 * A plan is the configuration, completed. Four sorts of attributes the user does not fill:
 *
 *     write-only          null: it is in the configuration alone
 *     with a fallback     the fallback
 *     computed            see below
 *     any other           null
 *
 * What the user does fill is planned as given, unless it means the same as what the object has (`same`): then it stays as
 * it is, and nobody hears of a difference that is none.
 *
 * What a computed attribute will be depends on whether anything changes at all. So the configuration is completed twice.
 * First with what the object has: if that comes to the very object, nothing is to be done, and the plan is empty. It must
 * be, or it never would be. Otherwise every computed attribute may come out differently, and is completed with
 * "unknown" – also deep inside of what did not change, since the provider is asked to write all of it – unless it is one
 * to `keep` and there is something to keep. What the user has `unset` becomes null, as if it were not computed.
 *
 * Attributes of objects in a list belong to what was at the same position, those in a map to what was under the same key.
 * Elements of a set have neither: see set-match.ts.
 *
 * The core sends a proposal of its own. It is not used: it is the first of the two completions without `same` and
 * fallbacks, and for sets it would have to be taken apart again.
 */
export function proposePlan(
  all: Attributes,
  config: ValueRecord,
  prior: ValueRecord | null,
  unset: readonly string[] = [],
): ValueRecord {
  const attributes = { ...all, ...Object.fromEntries(unset.map((name) => [name, uncomputed(all[name])])) };
  const still = completed(attributes, config, prior, (_, before) => before);
  if (prior && sameValue(still, prior, typeOf(attributes))) return prior;
  return completed(attributes, config, prior, ({ useStateForUnknown: keep }, before) =>
    keep && (before !== null || (prior && keep === "even-null")) ? before : Unknown,
  );
}

function uncomputed(attribute: Attribute | undefined): Attribute {
  if (!attribute) throw new Error("Bug: what was unset is no attribute");
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
  if (config === null) {
    if (attribute.default !== undefined) return attribute.default;
    return attribute.computed ? complete(attribute, prior) : null;
  }
  // Null is no value of before to go back to: the core takes a configured value for null as a wrong plan.
  if (prior !== null && semanticallyEqual(attribute, config, prior)) return prior;
  return "nesting" in attribute ? completedParts(attribute, config, prior, complete) : config;
}

function completedParts(
  { nesting, attributes }: NestedAttribute,
  config: Value,
  prior: Value,
  complete: Complete,
): Value {
  const object = (part: Value, before: Value): Value =>
    isRecord(part) ? completed(attributes, part, before, complete) : part;
  if (nesting === "single") return object(config, prior);
  if (isList(config)) {
    const was = isList(prior) ? prior : [];
    const former = nesting === "list" ? was : formerly(config, was);
    return config.map((part, at) => object(part, former[at] ?? null));
  }
  if (!isRecord(config)) return config;
  const map = emptyRecord();
  for (const [key, part] of Object.entries(config)) map[key] = object(part, childAt(prior, key));
  return map;

  /** What each element of a set was: the one that it comes to when completed with it. */
  function formerly(elements: readonly Value[], was: readonly Value[]): readonly Value[] {
    const type = typeOf(attributes);
    return matchElements(elements, was, type, (part, before) => {
      if (!isRecord(part)) return false;
      return sameValue(
        completed(attributes, part, before, (_, value) => value),
        before,
        type,
      );
    });
  }
}
