import { dataRpcs } from "./data-rpcs.js";
import { ephemeralRpcs } from "./ephemeral-rpcs.js";
import { functionRpcs } from "./function-rpcs.js";
import type { Provider } from "./provider.js";
import { providerRpcs } from "./provider-rpcs.js";
import { resourceRpcs } from "./resource-rpcs.js";
import type { NewInstance } from "./rpc.js";
import { type SchemaAnswer, schemaOf } from "./schema.js";
import type { Session } from "./session.js";

/**
 * A provider, ready to be served: from plain descriptors to the answers of every call. Each connection gets a client of its
 * own, since the connection is all that tells one provider block from another.
 */
export function instanceOf<Client>(provider: Provider<Client>): NewInstance {
  let made: SchemaAnswer | undefined;
  function schema(): SchemaAnswer {
    made ??= schemaOf(provider);
    return made;
  }
  return ({ log }) => {
    const stopping = new AbortController();
    const stop = () => stopping.abort();
    const session: Session<Client> = { provider, log, signal: stopping.signal, configured: undefined };
    return {
      rpcs: {
        ...providerRpcs(session, { schema, stop }),
        ...resourceRpcs(session),
        ...dataRpcs(session),
        ...ephemeralRpcs(session),
        ...functionRpcs(session),
      },
      async close() {
        stop();
        if (session.configured) await provider.close?.(session.configured.client);
      },
    };
  };
}
