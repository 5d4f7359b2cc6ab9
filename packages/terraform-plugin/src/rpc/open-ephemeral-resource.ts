import { decodeRequiredObject, encodeObject, encodePrivate } from "../values/dynamic-value.js";
import { resultViolations } from "../violations/violations.js";
import type { Handler } from "./respond.js";
import { findDefinition, withClient } from "./session.js";
import { encodeTimestamp } from "./timestamp.js";

/** Opens an ephemeral resource. */
export const openEphemeralResource: Handler<"OpenEphemeralResource"> = async (
  session,
  { typeName, config: sent },
  call,
) => {
  const resource = findDefinition(session.provider.ephemeralResources, typeName);
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
};
