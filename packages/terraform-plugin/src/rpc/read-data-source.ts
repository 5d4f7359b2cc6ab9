import { decodeRequiredObject, encodeObject } from "../values/dynamic-value.js";
import type { Handler } from "./respond.js";
import { findDefinition, withClient } from "./session.js";

export const readDataSource: Handler<"ReadDataSource"> = async (
  session,
  { typeName, config: sent },
  call,
) => {
  const source = findDefinition(session.provider.dataSources, typeName);
  const { attributes } = source;
  const config = decodeRequiredObject(sent, attributes);
  const result = await source.read({ ...withClient(session, call), config });
  if (call.diagnostics.hasErrors()) return {};
  return { state: encodeObject(result, attributes) };
};
