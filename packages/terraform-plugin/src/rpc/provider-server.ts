import type { NewProviderServer } from "../protocol/rpcs.js";
import type { Provider } from "../provider.js";
import { encodeSchema, type SchemaResponse } from "../schema/encode-schema.js";
import { applyResourceChange } from "./apply-resource-change.js";
import { callFunction } from "./call-function.js";
import { closeEphemeralResource } from "./close-ephemeral-resource.js";
import { configureProvider } from "./configure-provider.js";
import { getFunctions } from "./get-functions.js";
import { getMetadata } from "./get-metadata.js";
import { getProviderSchema } from "./get-provider-schema.js";
import { importResourceState } from "./import-resource-state.js";
import { moveResourceState } from "./move-resource-state.js";
import { openEphemeralResource } from "./open-ephemeral-resource.js";
import { planResourceChange } from "./plan-resource-change.js";
import { readDataSource } from "./read-data-source.js";
import { readResource } from "./read-resource.js";
import { renewEphemeralResource } from "./renew-ephemeral-resource.js";
import type { Session } from "./session.js";
import { stopProvider } from "./stop-provider.js";
import { upgradeResourceState } from "./upgrade-resource-state.js";
import { validateDataResourceConfig } from "./validate-data-resource-config.js";
import { validateEphemeralResourceConfig } from "./validate-ephemeral-resource-config.js";
import { validateProviderConfig } from "./validate-provider-config.js";
import { validateResourceConfig } from "./validate-resource-config.js";

/**
 * The server of a provider: from definitions to the responses of every call, one file for each. Each connection gets a
 * client of its own, since only the connection tells one provider block from another.
 */
export function providerServer<Client>(provider: Provider<Client>): NewProviderServer {
  let encoded: SchemaResponse | undefined;
  function schema(): SchemaResponse {
    encoded ??= encodeSchema(provider);
    return encoded;
  }
  return ({ log }) => {
    const stopping = new AbortController();
    const stop = () => stopping.abort();
    const session: Session<Client> = { provider, log, signal: stopping.signal, configured: undefined };
    return {
      rpcs: {
        GetMetadata: getMetadata(session, schema),
        GetProviderSchema: getProviderSchema(session, schema),
        GetFunctions: getFunctions(session, schema),
        ValidateProviderConfig: validateProviderConfig(session),
        ConfigureProvider: configureProvider(session),
        StopProvider: stopProvider(session, stop),
        ValidateResourceConfig: validateResourceConfig(session),
        UpgradeResourceState: upgradeResourceState(session),
        ReadResource: readResource(session),
        PlanResourceChange: planResourceChange(session),
        ApplyResourceChange: applyResourceChange(session),
        ImportResourceState: importResourceState(session),
        MoveResourceState: moveResourceState(session),
        ValidateDataResourceConfig: validateDataResourceConfig(session),
        ReadDataSource: readDataSource(session),
        ValidateEphemeralResourceConfig: validateEphemeralResourceConfig(session),
        OpenEphemeralResource: openEphemeralResource(session),
        RenewEphemeralResource: renewEphemeralResource(session),
        CloseEphemeralResource: closeEphemeralResource(session),
        CallFunction: callFunction(session),
      },
      async close() {
        stop();
        if (session.configured) await provider.close?.(session.configured.client);
      },
    };
  };
}
