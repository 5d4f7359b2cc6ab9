import type { Rpcs } from "../protocol/rpcs.js";
import { decodeRequiredObject } from "../values/dynamic-value.js";
import { respond } from "./respond.js";
import type { Session } from "./session.js";

/** Makes the client that every later call of this connection gets. */
export function configureProvider<Client>(session: Session<Client>): Rpcs["ConfigureProvider"] {
  const { provider } = session;
  return ({ config: sent }) =>
    respond(session, "ConfigureProvider", "", async (call) => {
      const config = decodeRequiredObject(sent, provider.attributes);
      const client = await provider.configure({ ...call, config });
      if (client !== null) session.configured = { client };
      else if (!call.diagnostics.hasErrors())
        throw new Error("Bug: configure returned no client and reported no error");
      return {};
    });
}
