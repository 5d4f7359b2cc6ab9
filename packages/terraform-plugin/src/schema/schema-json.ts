import type { Attribute, Attributes } from "../attribute.js";
import type { Provider, StateUpgrader } from "../provider.js";
import { getSchemaVersion, mapDefinitions } from "./encode-schema.js";

/**
 * Builds the document that `terraform providers schema -json` prints for a provider, for generators of bindings and
 * documentation. `source` is the provider's source address, such as "registry.terraform.io/example/example".
 */
export function toSchemaJson<Client>(provider: Provider<Client>, source: string) {
  const { attributes, description } = provider;
  return {
    format_version: "1.0",
    provider_schemas: {
      [source]: {
        provider: toObjectJson({ attributes, description }),
        resource_schemas: mapDefinitions(provider.resources, toObjectJson),
        data_source_schemas: mapDefinitions(provider.dataSources, toObjectJson),
        list_resource_schemas: mapDefinitions(provider.listResources, ({ description }) => ({
          version: 0,
          block: toMarkdown(description),
        })),
        action_schemas: mapDefinitions(provider.actions, (action) => ({ block: toObjectJson(action).block })),
        resource_identity_schemas: mapDefinitions(provider.resources, toIdentityJson),
      },
    },
  } as const;
}

function toObjectJson(definition: {
  readonly description: string;
  readonly attributes: Attributes;
  readonly stateUpgraders?: readonly StateUpgrader[];
}) {
  const { description, attributes } = definition;
  return {
    version: getSchemaVersion(definition),
    block: { attributes: mapDefinitions(attributes, toAttributeJson), ...toMarkdown(description) },
  };
}

function toIdentityJson({ attributes }: { readonly attributes: Attributes }) {
  const id = { type: "string", description: attributes.id?.description, required_for_import: true };
  return { version: 0, attributes: { id } };
}

/** Omits false values, as terraform does. */
function toAttributeJson(attribute: Attribute): object {
  const { description, required, optional, computed, sensitive, writeOnly } = attribute;
  return {
    ...toTypeJson(attribute),
    ...toMarkdown(description),
    ...(required && { required }),
    ...(optional && { optional }),
    ...(computed && { computed }),
    ...(sensitive && { sensitive }),
    ...(writeOnly && { write_only: writeOnly }),
  };
}

function toTypeJson(attribute: Attribute): object {
  if ("type" in attribute) return { type: attribute.type };
  const { attributes, nesting } = attribute;
  return { nested_type: { attributes: mapDefinitions(attributes, toAttributeJson), nesting_mode: nesting } };
}

function toMarkdown(description: string) {
  return { description, description_kind: "markdown" };
}
