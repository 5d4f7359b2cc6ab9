import type { Attribute, Attributes } from "../attribute.js";
import type { Diagnostics, Path } from "../diagnostic.js";
import type { Call } from "../provider.js";
import { createNullObject, decodeObject } from "../values/dynamic-value.js";
import { getChild, isList, isRecord, isWhollyKnown, type ValueRecord } from "../values/shape.js";
import type { Value } from "../values/value.js";
import type { Handler, RpcCall } from "./respond.js";
import { findDefinition } from "./session.js";

export const validateProviderConfig: Handler<"ValidateProviderConfig"> = ({ provider }, { config }, call) =>
  validate(provider, config, call);

export const validateResourceConfig: Handler<"ValidateResourceConfig"> = (session, request, call) => {
  const { typeName, config, clientCapabilities } = request;
  // Relies on the client's capabilities, not on its name and version.
  const writeOnlyAllowed = clientCapabilities?.writeOnlyAttributesAllowed ?? false;
  return validate(findDefinition(session.provider.resources, typeName), config, call, writeOnlyAllowed);
};

/** Checks the configuration of a data source or an action. */
export function validatePart(part: "dataSources" | "actions"): Handler<"ValidateActionConfig"> {
  return ({ provider }, { typeName, config }, call) =>
    validate(findDefinition<ValidatedDefinition>(provider[part], typeName), config, call);
}

/** Reads a configuration from the wire. A null configuration means that the block was omitted. */
export function decodeConfig(sent: Sent, attributes: Attributes): ValueRecord {
  return decodeObject(sent, attributes) ?? createNullObject(attributes);
}

type Sent = Parameters<typeof decodeObject>[0];

interface ValidatedDefinition {
  readonly attributes: Attributes;
  validate?(call: Call & { readonly config: ValueRecord }): void | Promise<void>;
}

async function validate(
  definition: ValidatedDefinition,
  sent: Sent,
  call: RpcCall,
  writeOnlyAllowed = false,
): Promise<object> {
  const config = decodeConfig(sent, definition.attributes);
  checkConfig(definition.attributes, config, { ...call, writeOnlyAllowed });
  await definition.validate?.({ ...call, config });
  return {};
}

/** Checks the known attributes of a configuration. Terraform has already checked the types. */
function checkConfig(
  attributes: Attributes,
  config: Value,
  { diagnostics, writeOnlyAllowed }: { diagnostics: Diagnostics; writeOnlyAllowed: boolean },
): void {
  rejectMissing(attributes, config, diagnostics);
  for (const { attribute, value, path } of walkAttributes(attributes, config)) {
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
 * Rejects null for a required attribute. Terraform only checks that the attribute is set to an expression, such as a
 * variable, whose value may turn out to be null during a plan.
 */
export function rejectMissing(attributes: Attributes, config: Value, diagnostics: Diagnostics): void {
  for (const { attribute, value, path } of walkAttributes(attributes, config)) {
    if (value === null && attribute.required)
      diagnostics.error(`${path.at(-1)} is required`, "It is null. Set it to a value.", path);
    if ("nesting" in attribute && isList(value) && value.includes(null))
      diagnostics.error(`An element of ${path.at(-1)} is null`, "Remove it, or set it to a value.", path);
  }
}

/** Visits every attribute of a configuration with its value and path, including nested attributes of known objects. */
function* walkAttributes(
  attributes: Attributes,
  config: Value,
  within: Path = [],
): Iterable<{ readonly attribute: Attribute; readonly value: Value; readonly path: Path }> {
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = getChild(config, name);
    const path = [...within, name];
    yield { attribute, value, path };
    if (!("nesting" in attribute)) continue;
    const children = isList(value) ? value.entries() : [[undefined, value] as const];
    for (const [at, child] of children)
      if (isRecord(child))
        yield* walkAttributes(attribute.attributes, child, at === undefined ? path : [...path, at]);
  }
}
