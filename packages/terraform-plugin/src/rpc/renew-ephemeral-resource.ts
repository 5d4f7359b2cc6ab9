import { decodePrivate, encodePrivate } from "../values/dynamic-value.js";
import { DiagnosticError } from "./error-diagnostic.js";
import type { Handler } from "./respond.js";
import { findDefinition, withClient } from "./session.js";
import { encodeTimestamp } from "./timestamp.js";

/** Renews an open ephemeral resource. */
export const renewEphemeralResource: Handler<"RenewEphemeralResource"> = async (
  session,
  { typeName, private: sent },
  call,
) => {
  const resource = findDefinition(session.provider.ephemeralResources, typeName);
  const before = decodePrivate(sent);
  if (!resource.renew)
    throw new DiagnosticError(
      "The ephemeral resource cannot be renewed",
      `This provider does not support renewing ${typeName}.`,
    );
  const renewed = await resource.renew({ ...withClient(session, call), private: before });
  return { renewAt: encodeTimestamp(renewed.renewAt), private: encodePrivate(renewed.private ?? before) };
};
