import type { Rpcs } from "../protocol/rpcs.js";
import { decodeRequiredObject } from "../values/dynamic-value.js";
import { respond } from "./respond.js";
import type { Session } from "./session.js";
import { checkConfig } from "./validate-config.js";

/** Checks a provider block. */
export function validateProviderConfig<Client>(session: Session<Client>): Rpcs["ValidateProviderConfig"] {
  const { provider } = session;
  return ({ config: sent }) =>
    respond(session, "ValidateProviderConfig", "", async (call) => {
      const config = decodeRequiredObject(sent, provider.attributes);
      checkConfig(provider.attributes, config, { ...call, writeOnlyAllowed: false });
      await provider.validate?.({ ...call, config });
      return {};
    });
}
