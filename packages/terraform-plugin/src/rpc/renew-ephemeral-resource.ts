import type { Rpcs } from "../protocol/rpcs.js";
import { decodePrivate, encodePrivate } from "../values/dynamic-value.js";
import { DiagnosticError } from "./error-diagnostic.js";
import { respond } from "./respond.js";
import { definitionOf, type Session, withClient } from "./session.js";
import { encodeTimestamp } from "./timestamp.js";

/** Renews an open ephemeral resource. */
export function renewEphemeralResource<Client>(session: Session<Client>): Rpcs["RenewEphemeralResource"] {
  return ({ typeName, private: sent }) =>
    respond(session, "RenewEphemeralResource", typeName, async (call) => {
      const resource = definitionOf(session.provider.ephemeralResources, typeName);
      const before = decodePrivate(sent);
      if (!resource.renew)
        throw new DiagnosticError(
          "The ephemeral resource cannot be renewed",
          `This provider does not support renewing ${typeName}.`,
        );
      const renewed = await resource.renew({ ...withClient(session, call), private: before });
      return { renewAt: encodeTimestamp(renewed.renewAt), private: encodePrivate(renewed.private ?? before) };
    });
}
