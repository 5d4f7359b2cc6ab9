import type { Rpcs } from "../protocol/rpcs.js";
import { decodeRequiredObject } from "../values/dynamic-value.js";
import { respond } from "./respond.js";
import { definitionOf, type Session } from "./session.js";
import { checkConfig } from "./validate-config.js";

/** Checks the configuration of a data source. */
export function validateDataResourceConfig<Client>(
  session: Session<Client>,
): Rpcs["ValidateDataResourceConfig"] {
  return ({ typeName, config: sent }) =>
    respond(session, "ValidateDataResourceConfig", typeName, async (call) => {
      const source = definitionOf(session.provider.dataSources, typeName);
      const config = decodeRequiredObject(sent, source.attributes);
      checkConfig(source.attributes, config, { ...call, writeOnlyAllowed: false });
      await source.validate?.({ ...call, config });
      return {};
    });
}
