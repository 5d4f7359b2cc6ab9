import type { Attribute, Attributes } from "../attribute.js";
import type { Schema, SchemaAttributeDraft } from "../protocol/messages.js";
import type { MessageInput } from "../protocol/protobuf.js";
import { type RpcResponse, rpcs } from "../protocol/rpcs.js";
import type { Provider, Resource, StateUpgrader } from "../provider.js";
import type { Type } from "../values/value.js";

/** Builds the schema response, which Terraform requests first. */
export function encodeSchema<Client>(provider: Provider<Client>): RpcResponse<"GetProviderSchema"> {
  const { attributes, description } = provider;
  return {
    provider: encodeObjectSchema({ attributes, description }),
    resourceSchemas: mapDefinitions(provider.resources, encodeObjectSchema),
    dataSourceSchemas: mapDefinitions(provider.dataSources, encodeObjectSchema),
    listResourceSchemas: mapDefinitions(provider.listResources, ({ description }) =>
      encodeObjectSchema({ description, attributes: {} }),
    ),
    actionSchemas: mapDefinitions(provider.actions, (action) => ({ schema: encodeObjectSchema(action) })),
    // Makes Terraform also plan destroys through the provider, and lets it cache the schema.
    serverCapabilities: { planDestroy: true, getProviderSchemaOptional: true },
  };
}

/** Builds the identity schema response, which Terraform requests next. */
export function encodeIdentitySchemas<Client>(
  provider: Provider<Client>,
): RpcResponse<"GetResourceIdentitySchemas"> {
  return {
    identitySchemas: mapDefinitions(provider.resources, ({ attributes }) => ({
      attributes: [
        {
          ...{ name: "id", type: encodeType("string"), requiredForImport: true },
          description: attributes.id?.description,
        },
      ],
    })),
  };
}

/** Encoded responses that never change, by call name. */
export type SchemaBytes = { readonly [call: string]: Uint8Array };

/**
 * Encodes the responses with a provider's schemas. Every Terraform command starts one process that requests only these
 * responses. With the encoded bytes from the build, `servePlugin` responds without loading the provider.
 */
export function encodeSchemas<Client>(provider: Provider<Client>): SchemaBytes {
  const { GetProviderSchema, GetResourceIdentitySchemas } = rpcs;
  return {
    GetProviderSchema: GetProviderSchema.response.encode(encodeSchema(provider)),
    GetResourceIdentitySchemas: GetResourceIdentitySchemas.response.encode(encodeIdentitySchemas(provider)),
  };
}

function encodeObjectSchema(definition: {
  readonly description: string;
  readonly attributes: Attributes;
  readonly stateUpgraders?: readonly StateUpgrader[];
}): MessageInput<typeof Schema> {
  const { description, attributes } = definition;
  return {
    version: getSchemaVersion(definition),
    block: { description, descriptionKind: "markdown", attributes: encodeAttributes(attributes) },
  };
}

/** Returns the version of a schema, as stored with each state. */
export function getSchemaVersion({ stateUpgraders = [] }: Pick<Resource<unknown>, "stateUpgraders">): number {
  return stateUpgraders.length;
}

function encodeAttributes(attributes: Attributes): SchemaAttributeDraft[] {
  return Object.entries(attributes).map(([name, attribute]) => ({
    name,
    ...encodeAttributeType(attribute),
    description: attribute.description,
    descriptionKind: "markdown",
    required: attribute.required,
    optional: attribute.optional,
    computed: attribute.computed,
    sensitive: attribute.sensitive,
    writeOnly: attribute.writeOnly,
  }));
}

function encodeAttributeType(attribute: Attribute): Pick<SchemaAttributeDraft, "type" | "nestedType"> {
  if ("type" in attribute) return { type: encodeType(attribute.type) };
  return {
    nestedType: { nesting: attribute.nesting, attributes: encodeAttributes(attribute.attributes) },
  };
}

function encodeType(type: Type): Uint8Array {
  return Buffer.from(JSON.stringify(type));
}

/** Applies `map` to each definition and keeps its name. */
export function mapDefinitions<From, To>(
  definitions: { readonly [name: string]: From },
  map: (definition: From) => To,
): { readonly [name: string]: To } {
  return Object.fromEntries(Object.entries(definitions).map(([name, one]) => [name, map(one)]));
}
