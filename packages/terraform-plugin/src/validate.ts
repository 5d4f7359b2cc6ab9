import type { Attribute, Attributes } from "./attribute.js";
import type { Path, Report } from "./diagnostic.js";
import { partIn } from "./parts.js";
import { attributeType } from "./schema-type.js";
import { isList, isRecord } from "./shape.js";
import { isWhollyKnown } from "./unknowns.js";
import type { Value } from "./value.js";

/**
 * Checks a configuration, attribute by attribute, as far as it is known. That it is of its type was the core's to check.
 */
export function checkConfig(
  attributes: Attributes,
  config: Value,
  checking: { readonly report: Report; readonly writeOnlyAllowed: boolean },
  path: Path = [],
): void {
  if (path.length === 0) refuseMissing(attributes, config, checking.report);
  for (const [name, attribute] of Object.entries(attributes)) {
    checkAttribute(attribute, partIn(config, name), [...path, name]);
  }

  function checkAttribute(attribute: Attribute, value: Value, here: Path): void {
    if (value === null) return;
    const { report, writeOnlyAllowed } = checking;
    // The core knows it from the schema, and says nothing.
    if (attribute.deprecated) report.warning("The attribute is deprecated", attribute.description, here);
    if (attribute.writeOnly && !writeOnlyAllowed) {
      report.error(
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
    if (!attribute.check || !isWhollyKnown(value, attributeType(attribute))) return;
    for (const { summary, detail, path: within = [] } of attribute.check(value)) {
      report.error(summary, detail, [...here, ...within]);
    }
  }
}

/**
 * Refuses null where a value is required. The core only sees to it that something is written there: it may be a variable
 * nobody has set, and what is null is known no sooner than when the plan is made.
 */
export function refuseMissing(attributes: Attributes, config: Value, report: Report, path: Path = []): void {
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = partIn(config, name);
    const here = [...path, name];
    if (value === null && attribute.required) {
      report.error(`${name} is required`, "Its value here is null. Give it another one.", here);
    }
    if (!("nesting" in attribute) || value === null) continue;
    const elements: readonly Value[] = isList(value) ? value : isRecord(value) ? Object.values(value) : [];
    if (attribute.nesting !== "single" && elements.includes(null)) {
      report.error(`An element of ${name} is null`, "Leave it out, or give it a value.", here);
    }
    for (const [at, part] of objectsIn(value, attribute.nesting, here)) {
      refuseMissing(attribute.attributes, part, report, at);
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
