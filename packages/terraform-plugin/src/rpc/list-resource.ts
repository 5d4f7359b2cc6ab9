import { createNullObject, encodeObject } from "../values/dynamic-value.js";
import { encodeIdentity } from "./identity.js";
import type { Handler } from "./respond.js";
import { findDefinition, withClient } from "./session.js";

/** Sends the objects that a list resource finds, up to the requested number. */
export const listResource: Handler<"ListResource"> = async (session, request, call, send) => {
  const { typeName, includeResourceObject: isWhole, limit } = request;
  const list = findDefinition(session.provider.listResources, typeName);
  const { attributes } = findDefinition(session.provider.resources, typeName);
  let count = 0;
  for await (const { displayName, state: found } of list.list({
    ...withClient(session, call),
    ...{ limit, isWhole },
  })) {
    if (call.diagnostics.hasErrors()) break;
    const state = Object.assign(createNullObject(attributes), found);
    const identity = encodeIdentity(state);
    if (!identity) throw new Error("Bug: an object was listed without its id");
    send({ identity, displayName, ...(isWhole && { resourceObject: encodeObject(state, attributes) }) });
    count += 1;
    if (count === limit) break;
  }
  return {};
};
