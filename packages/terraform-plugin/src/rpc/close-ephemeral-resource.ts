import type { Rpcs } from "../protocol/rpcs.js";
import { decodePrivate } from "../values/dynamic-value.js";
import { respond } from "./respond.js";
import { definitionOf, type Session, withClient } from "./session.js";

/** Closes an open ephemeral resource. */
export function closeEphemeralResource<Client>(session: Session<Client>): Rpcs["CloseEphemeralResource"] {
  return ({ typeName, private: sent }) =>
    respond(session, "CloseEphemeralResource", typeName, async (call) => {
      const resource = definitionOf(session.provider.ephemeralResources, typeName);
      await resource.close?.({ ...withClient(session, call), private: decodePrivate(sent) });
      return {};
    });
}
