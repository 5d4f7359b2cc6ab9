import type { Rpcs } from "../protocol/rpcs.js";
import type { SchemaResponse } from "../schema/encode-schema.js";
import { respond } from "./respond.js";
import type { Session } from "./session.js";

/** Names everything that the provider has. */
export function getMetadata(session: Session<unknown>, schema: () => SchemaResponse): Rpcs["GetMetadata"] {
  const { provider } = session;
  const types = (definitions: object) => Object.keys(definitions).map((typeName) => ({ typeName }));
  return () =>
    respond(session, "GetMetadata", "", () => ({
      serverCapabilities: schema().serverCapabilities,
      resources: types(provider.resources),
      dataSources: types(provider.dataSources),
      ephemeralResources: types(provider.ephemeralResources),
      functions: Object.keys(provider.functions).map((name) => ({ name })),
    }));
}
