import type { Rpcs } from "../protocol/rpcs.js";
import { decodeRequiredObject, encodeObject } from "../values/dynamic-value.js";
import { resultViolations } from "../violations/violations.js";
import { respond } from "./respond.js";
import { definitionOf, type Session, withClient } from "./session.js";

/** Reads a data source. */
export function readDataSource<Client>(session: Session<Client>): Rpcs["ReadDataSource"] {
  return ({ typeName, config: sent }) =>
    respond(session, "ReadDataSource", typeName, async (call) => {
      const source = definitionOf(session.provider.dataSources, typeName);
      const { attributes } = source;
      const config = decodeRequiredObject(sent, attributes);
      const result = await source.read({ ...withClient(session, call), config });
      if (call.diagnostics.hasErrors()) return {};
      if (call.hasViolations(resultViolations({ attributes, config, result }))) return {};
      return { state: encodeObject(result, attributes) };
    });
}
