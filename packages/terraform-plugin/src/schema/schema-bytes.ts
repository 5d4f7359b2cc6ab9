import { rpcs } from "../protocol/rpcs.js";
import type { Provider } from "../provider.js";
import { encodeIdentitySchemas, encodeSchema } from "./encode-schema.js";

/** Responses that are always the same, encoded, by name of the call. */
export type SchemaBytes = { readonly [call: string]: Uint8Array };

/**
 * The responses to the calls for the schemas of a provider. One process of every Terraform command is asked for these and
 * nothing else: with these bytes, made at build time, `servePlugin` need not load the provider for it.
 */
export function schemaBytes<Client>(provider: Provider<Client>): SchemaBytes {
  return {
    GetProviderSchema: rpcs.GetProviderSchema.response.encode(encodeSchema(provider)),
    GetResourceIdentitySchemas: rpcs.GetResourceIdentitySchemas.response.encode(
      encodeIdentitySchemas(provider),
    ),
  };
}
