import { rpcs } from "../protocol/rpcs.js";
import type { Provider } from "../provider.js";
import { encodeSchema } from "./encode-schema.js";

/**
 * The response to GetProviderSchema, encoded. One process of every Terraform command is asked for the schema and nothing
 * else: with these bytes, made at build time, `servePlugin` need not load the provider for it.
 */
export function schemaBytes<Client>(provider: Provider<Client>): Uint8Array {
  return rpcs.GetProviderSchema.response.encode(encodeSchema(provider));
}
