import type { Rpcs } from "../protocol/rpcs.js";
import { decodeRequiredObject, encodeObject, encodePrivate } from "../values/dynamic-value.js";
import { resultViolations } from "../violations/violations.js";
import { respond } from "./respond.js";
import { definitionOf, type Session, withClient } from "./session.js";
import { encodeTimestamp } from "./timestamp.js";

/** Opens an ephemeral resource. */
export function openEphemeralResource<Client>(session: Session<Client>): Rpcs["OpenEphemeralResource"] {
  return ({ typeName, config: sent }) =>
    respond(session, "OpenEphemeralResource", typeName, async (call) => {
      const resource = definitionOf(session.provider.ephemeralResources, typeName);
      const { attributes } = resource;
      const config = decodeRequiredObject(sent, attributes);
      const opened = await resource.open({ ...withClient(session, call), config });
      if (call.diagnostics.hasErrors()) return {};
      const result = opened?.result ?? null;
      if (call.hasViolations(resultViolations({ attributes, config, result }))) return {};
      if (opened?.renewAt && !resource.renew)
        throw new Error("Bug: open returned renewAt, but there is no renew function");
      return {
        result: encodeObject(result, attributes),
        renewAt: encodeTimestamp(opened?.renewAt),
        private: encodePrivate(opened?.private ?? {}),
      };
    });
}
