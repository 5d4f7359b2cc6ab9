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

/** Checks the configuration of a data source, a list resource or an action. */
export function validatePart(
  part: "dataSources" | "listResources" | "actions",
): Handler<"ValidateActionConfig"> {
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
    if (attribute.writeOnly && !writeOnlyAllowed) {
      diagnostics.error(
        "Write-only attributes need Terraform 1.11 or OpenTofu 1.11",
        "An older version would write the value into its state. Upgrade, or leave the attribute out.",
        here,
      );
    }
    if ("nesting" in attribute) {
      for (const [at, child] of objectsIn(value, here)) {
        checkConfig(attribute.attributes, child, checking, at);
      }
    }
    if (!attribute.validate || !isWhollyKnown(value)) return;
    for (const { summary, detail } of attribute.validate(value)) diagnostics.error(summary, detail, here);
  }
}

/**
 * Refuses null where a value is required. Terraform only sees to it that something is written there: it may be a variable
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
      diagnostics.error(`${name} is required`, "It is null. Set it to a value.", here);
    }
    if (!("nesting" in attribute) || value === null) continue;
    if (isList(value) && value.includes(null)) {
      diagnostics.error(`An element of ${name} is null`, "Remove it, or set it to a value.", here);
    }
    for (const [at, child] of objectsIn(value, here)) {
      refuseMissing(attribute.attributes, child, diagnostics, at);
    }
  }
}

/** The objects in a value of a nested attribute that are known, with their places. */
function objectsIn(value: Value, here: Path): readonly (readonly [Path, Value])[] {
  const all: readonly (readonly [Path, Value])[] = isList(value)
    ? value.map((child, at) => [[...here, at], child])
    : [[here, value]];
  return all.filter(([, child]) => isRecord(child));
}
