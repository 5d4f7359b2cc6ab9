import type { Rpcs } from "../protocol/rpcs.js";
import { decodeRequiredObject } from "../values/dynamic-value.js";
import { respond } from "./respond.js";
import { definitionOf, type Session } from "./session.js";
import { checkConfig } from "./validate-config.js";

/** Checks the configuration of an ephemeral resource. */
export function validateEphemeralResourceConfig<Client>(
  session: Session<Client>,
): Rpcs["ValidateEphemeralResourceConfig"] {
  return ({ typeName, config: sent }) =>
    respond(session, "ValidateEphemeralResourceConfig", typeName, async (call) => {
      const resource = definitionOf(session.provider.ephemeralResources, typeName);
      const config = decodeRequiredObject(sent, resource.attributes);
      checkConfig(resource.attributes, config, { ...call, writeOnlyAllowed: false });
      await resource.validate?.({ ...call, config });
      return {};
    });
}
