import type { Attribute, Attributes } from "../attribute.js";
import type { Diagnostics, Path } from "../diagnostic.js";
import type { Call } from "../provider.js";
import { decodeObject, nullObject } from "../values/dynamic-value.js";
import { childAt, isList, isRecord, isWhollyKnown, type ValueRecord } from "../values/shape.js";
import type { Value } from "../values/value.js";
import type { Handler, RpcCall } from "./respond.js";
import { findDefinition } from "./session.js";

/** Checks a provider block. */
export const validateProviderConfig: Handler<"ValidateProviderConfig"> = ({ provider }, { config }, call) =>
  validate(provider, config, call);

/** Checks the configuration of a resource. */
export const validateResourceConfig: Handler<"ValidateResourceConfig"> = (session, request, call) => {
  const { typeName, config, clientCapabilities } = request;
  // The capabilities say it, not the name and version of the caller.
  const writeOnlyAllowed = clientCapabilities?.writeOnlyAttributesAllowed ?? false;
  return validate(findDefinition(session.provider.resources, typeName), config, call, writeOnlyAllowed);
};

/** Checks the configuration of a data source or an action. */
export function validatePart(part: "dataSources" | "actions"): Handler<"ValidateActionConfig"> {
  return ({ provider }, { typeName, config }, call) =>
    validate(findDefinition<Validated>(provider[part], typeName), config, call);
}

/** A configuration from the wire, where null says that its block was left out. */
export function decodeConfig(sent: Sent, attributes: Attributes): ValueRecord {
  return decodeObject(sent, attributes) ?? nullObject(attributes);
}

type Sent = Parameters<typeof decodeObject>[0];

interface Validated {
  readonly attributes: Attributes;
  validate?(call: Call & { readonly config: ValueRecord }): void | Promise<void>;
}

async function validate(
  definition: Validated,
  sent: Sent,
  call: RpcCall,
  writeOnlyAllowed = false,
): Promise<object> {
  const config = decodeConfig(sent, definition.attributes);
  checkConfig(definition.attributes, config, { ...call, writeOnlyAllowed });
  await definition.validate?.({ ...call, config });
  return {};
}

/**
 * Checks a configuration, attribute by attribute, as far as it is known. That it is of its type was Terraform's to check.
 */
function checkConfig(
  attributes: Attributes,
  config: Value,
  { diagnostics, writeOnlyAllowed }: { diagnostics: Diagnostics; writeOnlyAllowed: boolean },
): void {
  refuseMissing(attributes, config, diagnostics);
  for (const { attribute, value, path } of attributesIn(attributes, config)) {
    if (value === null) continue;
    if (attribute.writeOnly && !writeOnlyAllowed) {
      diagnostics.error(
        "Write-only attributes need Terraform 1.11 or OpenTofu 1.11",
        "An older version would write the value into its state. Upgrade, or leave the attribute out.",
        path,
      );
    }
    if (!attribute.validate || !isWhollyKnown(value)) continue;
    for (const { summary, detail } of attribute.validate(value)) diagnostics.error(summary, detail, path);
  }
}

/**
 * Refuses null where a value is required. Terraform only sees to it that something is written there: it may be a variable
 * nobody has set, and what is null is known no sooner than when the plan is made.
 */
export function refuseMissing(attributes: Attributes, config: Value, diagnostics: Diagnostics): void {
  for (const { attribute, value, path } of attributesIn(attributes, config)) {
    if (value === null && attribute.required)
      diagnostics.error(`${path.at(-1)} is required`, "It is null. Set it to a value.", path);
    if ("nesting" in attribute && isList(value) && value.includes(null))
      diagnostics.error(`An element of ${path.at(-1)} is null`, "Remove it, or set it to a value.", path);
  }
}

/** Every attribute of a configuration, with its value and its place; also within others, as far as these are known. */
function* attributesIn(
  attributes: Attributes,
  config: Value,
  within: Path = [],
): Iterable<{ readonly attribute: Attribute; readonly value: Value; readonly path: Path }> {
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = childAt(config, name);
    const path = [...within, name];
    yield { attribute, value, path };
    if (!("nesting" in attribute)) continue;
    const children = isList(value) ? value.entries() : [[undefined, value] as const];
    for (const [at, child] of children)
      if (isRecord(child))
        yield* attributesIn(attribute.attributes, child, at === undefined ? path : [...path, at]);
  }
}
