import type { Rpcs } from "../protocol/rpcs.js";
import type { SchemaResponse } from "../schema/encode-schema.js";
import { respond } from "./respond.js";
import type { Session } from "./session.js";

/** Tells the signatures of the provider's functions. */
export function getFunctions(session: Session<unknown>, schema: () => SchemaResponse): Rpcs["GetFunctions"] {
  return () => respond(session, "GetFunctions", "", () => ({ functions: schema().functions }));
}
