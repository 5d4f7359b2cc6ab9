import type { Attribute, Attributes } from "../attribute.js";
import type { Provider, StateUpgrader } from "../provider.js";
import { mapped, schemaVersion } from "./encode-schema.js";

/**
 * The document that `terraform providers schema -json` prints for a provider with that source address, such as
 * "registry.terraform.io/example/example". Generators of bindings and of documentation read it.
 */
export function schemaJson<Client>(provider: Provider<Client>, source: string) {
  const { attributes, description } = provider;
  return {
    format_version: "1.0",
    provider_schemas: {
      [source]: {
        provider: objectJson({ attributes, description }),
        resource_schemas: mapped(provider.resources, objectJson),
        data_source_schemas: mapped(provider.dataSources, objectJson),
        list_resource_schemas: mapped(provider.listResources, ({ description }) => ({
          version: 0,
          block: markdown(description),
        })),
        action_schemas: mapped(provider.actions, (action) => ({ block: objectJson(action).block })),
        resource_identity_schemas: mapped(provider.resources, identityJson),
      },
    },
  } as const;
}

function objectJson(definition: {
  readonly description: string;
  readonly attributes: Attributes;
  readonly stateUpgraders?: readonly StateUpgrader[];
}) {
  const { description, attributes } = definition;
  return {
    version: schemaVersion(definition),
    block: { attributes: mapped(attributes, attributeJson), ...markdown(description) },
  };
}

function identityJson({ attributes }: { readonly attributes: Attributes }) {
  const id = { type: "string", description: attributes.id?.description, required_for_import: true };
  return { version: 0, attributes: { id } };
}

/** What is false is left out, as terraform does. */
function attributeJson(attribute: Attribute): object {
  const { description, required, optional, computed, sensitive, writeOnly } = attribute;
  return {
    ...typeJson(attribute),
    ...markdown(description),
    ...(required && { required }),
    ...(optional && { optional }),
    ...(computed && { computed }),
    ...(sensitive && { sensitive }),
    ...(writeOnly && { write_only: writeOnly }),
  };
}

function typeJson(attribute: Attribute): object {
  if ("type" in attribute) return { type: attribute.type };
  const { attributes, nesting } = attribute;
  return { nested_type: { attributes: mapped(attributes, attributeJson), nesting_mode: nesting } };
}

function markdown(description: string) {
  return { description, description_kind: "markdown" };
}
