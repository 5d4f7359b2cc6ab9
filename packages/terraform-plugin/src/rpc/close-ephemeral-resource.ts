import { decodePrivate } from "../values/dynamic-value.js";
import type { Handler } from "./respond.js";
import { findDefinition, withClient } from "./session.js";

/** Closes an open ephemeral resource. */
export const closeEphemeralResource: Handler<"CloseEphemeralResource"> = async (
  session,
  { typeName, private: sent },
  call,
) => {
  const resource = findDefinition(session.provider.ephemeralResources, typeName);
  await resource.close?.({ ...withClient(session, call), private: decodePrivate(sent) });
  return {};
};
