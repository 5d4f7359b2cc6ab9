import { keepEqualPrior } from "../plan/semantic-equality.js";
import { decodePrivate, decodeRequiredObject, encodeObject, encodePrivate } from "../values/dynamic-value.js";
import { encodeIdentity } from "./identity.js";
import type { Handler } from "./respond.js";
import { findDefinition, withClient } from "./session.js";

/** Reads the current values of one object. */
export const readResource: Handler<"ReadResource"> = async (
  session,
  { typeName, currentState, private: sent },
  call,
) => {
  const resource = findDefinition(session.provider.resources, typeName);
  const { attributes } = resource;
  const state = decodeRequiredObject(currentState, attributes);
  const before = decodePrivate(sent);
  const read = await resource.read({ ...withClient(session, call), state, private: before });
  if (read === null) return {};
  const newState = keepEqualPrior(attributes, read.state, state);
  return {
    newState: encodeObject(newState, attributes),
    private: encodePrivate(read.private ?? before),
    newIdentity: encodeIdentity(newState),
  };
};
