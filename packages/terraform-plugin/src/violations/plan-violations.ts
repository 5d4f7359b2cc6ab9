import type { Attribute, Attributes, NestedAttribute } from "../attribute.js";
import type { Path } from "../diagnostic.js";
import { attributeType } from "../schema/schema-type.js";
import { childAt } from "../values/children.js";
import { sameValue } from "../values/equal.js";
import { isList, isRecord } from "../values/shape.js";
import { Unknown, type Value } from "../values/value.js";
import type { Violation } from "./violation.js";

/** One place as it was, as it is wanted, and as it is planned. */
interface Change {
  readonly prior: Value;
  readonly config: Value;
  readonly planned: Value;
}

/** How a planned object may differ from its configuration. Write-only attributes were looked at before. */
export function configViolations(
  attributes: Attributes,
  change: Change,
  path: Path = [],
): readonly Violation[] {
  return Object.entries(attributes).flatMap(([name, attribute]) =>
    attribute.writeOnly ? [] : violationsInAttribute(attribute, changeAt(change, name), [...path, name]),
  );
}

function violationsInAttribute(attribute: Attribute, change: Change, path: Path): readonly Violation[] {
  const { prior, config, planned } = change;
  const type = attributeType(attribute);
  if (sameValue(planned, config, type)) return [];
  if (prior !== null && config !== null && sameValue(planned, prior, type)) return [];
  if (attribute.computed && (config === null || !attribute.optional)) return [];
  if (config === null) return [{ path, rule: "is not computed and must be null as in the configuration" }];
  if ("nesting" in attribute) return violationsInNested(attribute, change, path);
  return [{ path, rule: `must be as in the configuration${prior === null ? "" : ", or as it was before"}` }];
}

function violationsInNested(attribute: NestedAttribute, change: Change, path: Path): readonly Violation[] {
  const { attributes, nesting } = attribute;
  const { config, planned } = change;
  if (planned === null) return [{ path, rule: "is configured and must not be planned null" }];
  if (planned === Unknown) return [{ path, rule: "is configured and must not be planned unknown" }];
  if (nesting === "single") return configViolations(attributes, change, path);
  const keys = listKeys(planned);
  const wanted = config === Unknown ? undefined : new Set(listKeys(config));
  if (wanted?.size !== keys.length || !keys.every((key) => wanted.has(key)))
    return [{ path, rule: "must have the elements of the configuration, no more and no fewer" }];
  return keys.flatMap((key) =>
    configViolations(attributes, changeAt(change, key), [...path, typeof key === "string" ? { key } : key]),
  );
}

function listKeys(value: Value): readonly (string | number)[] {
  if (isList(value)) return [...value.keys()];
  return isRecord(value) ? Object.keys(value) : [];
}

function changeAt(change: Change, key: string | number): Change {
  return {
    prior: childAt(change.prior, key),
    config: childAt(change.config, key),
    planned: childAt(change.planned, key),
  };
}
