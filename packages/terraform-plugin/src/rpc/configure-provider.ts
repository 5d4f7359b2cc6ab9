import { decodeRequiredObject } from "../values/dynamic-value.js";
import type { Handler } from "./respond.js";

/** Creates the client for all later calls of this connection. */
export const configureProvider: Handler<"ConfigureProvider"> = async (session, { config: sent }, call) => {
  const { provider } = session;
  const config = decodeRequiredObject(sent, provider.attributes);
  const client = await provider.configure({ ...call, config });
  if (client !== null) session.configured = { client };
  else if (!call.diagnostics.hasErrors())
    throw new Error("Bug: configure returned no client and reported no error");
  return {};
};
