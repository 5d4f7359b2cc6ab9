import type { Attribute, Attributes } from "../attribute.js";
import type { Diagnostics, Path } from "../diagnostic.js";
import { attributeType } from "../schema/schema-type.js";
import { childAt } from "../values/children.js";
import { isList, isRecord } from "../values/shape.js";
import type { Value } from "../values/value.js";
import { isWhollyKnown } from "../values/wholly-known.js";

/**
 * Checks a configuration, attribute by attribute, as far as it is known. That it is of its type was the core's to check.
 */
export function checkConfig(
  attributes: Attributes,
  config: Value,
  checking: { readonly diagnostics: Diagnostics; readonly writeOnlyAllowed: boolean },
  path: Path = [],
): void {
  if (path.length === 0) refuseMissing(attributes, config, checking.diagnostics);
  for (const [name, attribute] of Object.entries(attributes)) {
    checkAttribute(attribute, childAt(config, name), [...path, name]);
  }

  function checkAttribute(attribute: Attribute, value: Value, here: Path): void {
    if (value === null) return;
    const { diagnostics, writeOnlyAllowed } = checking;
    // The core knows it from the schema, and says nothing.
    if (attribute.deprecated) diagnostics.warning("The attribute is deprecated", attribute.description, here);
    if (attribute.writeOnly && !writeOnlyAllowed) {
      diagnostics.error(
        "Write-only attributes need Terraform 1.11 or OpenTofu 1.11",
        "What runs this plan would keep the value in its state. Upgrade it, or leave the attribute out.",
        here,
      );
    }
    if ("nesting" in attribute) {
      for (const [at, part] of objectsIn(value, attribute.nesting, here)) {
        checkConfig(attribute.attributes, part, checking, at);
      }
    }
    if (!attribute.validate || !isWhollyKnown(value, attributeType(attribute))) return;
    for (const { summary, detail, path: within = [] } of attribute.validate(value)) {
      diagnostics.error(summary, detail, [...here, ...within]);
    }
  }
}

/**
 * Refuses null where a value is required. The core only sees to it that something is written there: it may be a variable
 * nobody has set, and what is null is known no sooner than when the plan is made.
 */
export function refuseMissing(
  attributes: Attributes,
  config: Value,
  diagnostics: Diagnostics,
  path: Path = [],
): void {
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = childAt(config, name);
    const here = [...path, name];
    if (value === null && attribute.required) {
      diagnostics.error(`${name} is required`, "Its value here is null. Give it another one.", here);
    }
    if (!("nesting" in attribute) || value === null) continue;
    const elements: readonly Value[] = isList(value) ? value : isRecord(value) ? Object.values(value) : [];
    if (attribute.nesting !== "single" && elements.includes(null)) {
      diagnostics.error(`An element of ${name} is null`, "Leave it out, or give it a value.", here);
    }
    for (const [at, part] of objectsIn(value, attribute.nesting, here)) {
      refuseMissing(attribute.attributes, part, diagnostics, at);
    }
  }
}

/** The objects in a value of a nested attribute that are known, with their places; in a set they have none but the set's. */
function objectsIn(value: Value, nesting: string, here: Path): readonly (readonly [Path, Value])[] {
  const found: readonly (readonly [Path, Value])[] = isList(value)
    ? value.map((part, at) => [nesting === "set" ? here : [...here, at], part])
    : nesting === "map" && isRecord(value)
      ? Object.entries(value).map(([key, part]) => [[...here, { key }], part])
      : [[here, value]];
  return found.filter(([, part]) => isRecord(part));
}
