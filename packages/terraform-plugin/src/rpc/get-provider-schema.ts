import type { Rpcs } from "../protocol/rpcs.js";
import type { SchemaResponse } from "../schema/encode-schema.js";
import { respond } from "./respond.js";
import type { Session } from "./session.js";

/** Tells the schemas of everything that the provider has. */
export function getProviderSchema(
  session: Session<unknown>,
  schema: () => SchemaResponse,
): Rpcs["GetProviderSchema"] {
  return () => respond(session, "GetProviderSchema", "", schema);
}
