import type { Attribute, Attributes } from "../attribute.js";
import type { Schema, SchemaAttributeDraft } from "../protocol/messages.js";
import type { Draft } from "../protocol/protobuf.js";
import { type RpcResponse, rpcs } from "../protocol/rpcs.js";
import type { Provider, Resource, StateUpgrader } from "../provider.js";
import type { Type } from "../values/value.js";

/** What a provider is, as Terraform asks for it first. */
export function encodeSchema<Client>(provider: Provider<Client>): RpcResponse<"GetProviderSchema"> {
  const { attributes, description } = provider;
  return {
    provider: objectSchema({ attributes, description }),
    resourceSchemas: mapped(provider.resources, objectSchema),
    dataSourceSchemas: mapped(provider.dataSources, objectSchema),
    listResourceSchemas: mapped(provider.listResources, ({ description }) =>
      objectSchema({ description, attributes: {} }),
    ),
    actionSchemas: mapped(provider.actions, (action) => ({ schema: objectSchema(action) })),
    // A destroy is planned with us, and whoever has the schema need not ask for it again.
    serverCapabilities: { planDestroy: true, getProviderSchemaOptional: true },
  };
}

/** What identifies the objects of each resource, as Terraform asks for it next. */
export function encodeIdentitySchemas<Client>(
  provider: Provider<Client>,
): RpcResponse<"GetResourceIdentitySchemas"> {
  return {
    identitySchemas: mapped(provider.resources, ({ attributes }) => ({
      attributes: [
        {
          ...{ name: "id", type: sentType("string"), requiredForImport: true },
          description: attributes.id?.description,
        },
      ],
    })),
  };
}

/** Responses that are always the same, encoded, by name of the call. */
export type SchemaBytes = { readonly [call: string]: Uint8Array };

/**
 * The responses to the calls for the schemas of a provider. One process of every Terraform command is asked for these and
 * nothing else: with these bytes, made at build time, `servePlugin` need not load the provider for it.
 */
export function schemaBytes<Client>(provider: Provider<Client>): SchemaBytes {
  const { GetProviderSchema, GetResourceIdentitySchemas } = rpcs;
  return {
    GetProviderSchema: GetProviderSchema.response.encode(encodeSchema(provider)),
    GetResourceIdentitySchemas: GetResourceIdentitySchemas.response.encode(encodeIdentitySchemas(provider)),
  };
}

function objectSchema(definition: {
  readonly description: string;
  readonly attributes: Attributes;
  readonly stateUpgraders?: readonly StateUpgrader[];
}): Draft<typeof Schema> {
  const { description, attributes } = definition;
  return {
    version: schemaVersion(definition),
    block: { description, descriptionKind: "markdown", attributes: sentAttributes(attributes) },
  };
}

/** The version of a schema, as stored with each state. */
export function schemaVersion({ stateUpgraders = [] }: Pick<Resource<unknown>, "stateUpgraders">): number {
  return stateUpgraders.length;
}

function sentAttributes(attributes: Attributes): SchemaAttributeDraft[] {
  return Object.entries(attributes).map(([name, attribute]) => ({
    name,
    ...typeFacts(attribute),
    description: attribute.description,
    descriptionKind: "markdown",
    required: attribute.required,
    optional: attribute.optional,
    computed: attribute.computed,
    sensitive: attribute.sensitive,
    writeOnly: attribute.writeOnly,
  }));
}

function typeFacts(attribute: Attribute): Pick<SchemaAttributeDraft, "type" | "nestedType"> {
  if ("type" in attribute) return { type: sentType(attribute.type) };
  return {
    nestedType: { nesting: attribute.nesting, attributes: sentAttributes(attribute.attributes) },
  };
}

function sentType(type: Type): Uint8Array {
  return Buffer.from(JSON.stringify(type));
}

/** The same names, each with what is made of what stands there. */
export function mapped<From, To>(
  definitions: { readonly [name: string]: From },
  map: (definition: From) => To,
): { readonly [name: string]: To } {
  return Object.fromEntries(Object.entries(definitions).map(([name, one]) => [name, map(one)]));
}
