import type { Rpcs } from "../protocol/rpcs.js";
import { decodeRequiredObject } from "../values/dynamic-value.js";
import { respond } from "./respond.js";
import { definitionOf, type Session } from "./session.js";
import { checkConfig } from "./validate-config.js";

/** Checks the configuration of a resource. */
export function validateResourceConfig<Client>(session: Session<Client>): Rpcs["ValidateResourceConfig"] {
  return ({ typeName, config: sent, clientCapabilities }) =>
    respond(session, "ValidateResourceConfig", typeName, async (call) => {
      const resource = definitionOf(session.provider.resources, typeName);
      const config = decodeRequiredObject(sent, resource.attributes);
      // Not the caller's name and version: what it can do, it says.
      const writeOnlyAllowed = clientCapabilities?.writeOnlyAttributesAllowed ?? false;
      checkConfig(resource.attributes, config, { ...call, writeOnlyAllowed });
      await resource.validate?.({ ...call, config });
      return {};
    });
}
