import { keepEqualPrior } from "../plan/semantic-equality.js";
import type { Rpcs } from "../protocol/rpcs.js";
import { decodePrivate, decodeRequiredObject, encodeObject, encodePrivate } from "../values/dynamic-value.js";
import { stateViolations } from "../violations/violations.js";
import { respond } from "./respond.js";
import { definitionOf, type Session, withClient } from "./session.js";

/** Reads one object as it is now. */
export function readResource<Client>(session: Session<Client>): Rpcs["ReadResource"] {
  return ({ typeName, currentState, private: sent }) =>
    respond(session, "ReadResource", typeName, async (call) => {
      const resource = definitionOf(session.provider.resources, typeName);
      const { attributes } = resource;
      const state = decodeRequiredObject(currentState, attributes);
      const before = decodePrivate(sent);
      const read = resource.read
        ? await resource.read({ ...withClient(session, call), state, private: before })
        : { state };
      if (read === null) return {};
      const newState = keepEqualPrior(attributes, read.state, state);
      if (call.hasViolations(stateViolations({ attributes, state: newState }))) return {};
      return {
        newState: encodeObject(newState, attributes),
        private: encodePrivate(read.private ?? before),
      };
    });
}
