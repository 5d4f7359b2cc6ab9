import type { NewProviderServer, RpcName, RpcRequest, RpcResponse } from "../protocol/rpcs.js";
import type { Provider } from "../provider.js";
import { encodeIdentitySchemas, encodeSchema } from "../schema/encode-schema.js";
import { applyResourceChange } from "./apply-resource-change.js";
import { configureProvider } from "./configure-provider.js";
import { importResourceState } from "./import-resource-state.js";
import { invokeAction } from "./invoke-action.js";
import { listResource } from "./list-resource.js";
import { planResourceChange } from "./plan-resource-change.js";
import { readDataSource } from "./read-data-source.js";
import { readResource } from "./read-resource.js";
import { type Handler, respond } from "./respond.js";
import type { Session } from "./session.js";
import { upgradeResourceIdentity, upgradeResourceState } from "./upgrade-resource-state.js";
import { validatePart, validateProviderConfig, validateResourceConfig } from "./validate-config.js";

/**
 * Creates a server that handles calls with the provider's definitions. Each connection gets its own client, because the
 * protocol identifies a provider block only by its connection.
 */
export function createProviderServer<Client>(provider: Provider<Client>): NewProviderServer {
  return ({ log }) => {
    const stopping = new AbortController();
    const session: Session = { provider, log, signal: stopping.signal, configured: undefined };
    const createRpc =
      <Name extends RpcName>(name: Name, handle: Handler<Name>) =>
      (request: RpcRequest<Name>, send?: (response: RpcResponse<Name>) => void) =>
        respond(session, name, request, handle, send);
    const list = createRpc("ListResource", listResource);
    const invoke = createRpc("InvokeAction", invokeAction);
    return {
      rpcs: {
        GetProviderSchema: createRpc("GetProviderSchema", () => encodeSchema(provider)),
        GetResourceIdentitySchemas: createRpc("GetResourceIdentitySchemas", () =>
          encodeIdentitySchemas(provider),
        ),
        ValidateProviderConfig: createRpc("ValidateProviderConfig", validateProviderConfig),
        ConfigureProvider: createRpc("ConfigureProvider", configureProvider),
        async StopProvider() {
          stopping.abort();
          log("debug", "StopProvider");
          return {};
        },
        ValidateResourceConfig: createRpc("ValidateResourceConfig", validateResourceConfig),
        UpgradeResourceState: createRpc("UpgradeResourceState", upgradeResourceState),
        UpgradeResourceIdentity: createRpc("UpgradeResourceIdentity", upgradeResourceIdentity),
        ReadResource: createRpc("ReadResource", readResource),
        PlanResourceChange: createRpc("PlanResourceChange", planResourceChange),
        ApplyResourceChange: createRpc("ApplyResourceChange", applyResourceChange),
        ImportResourceState: createRpc("ImportResourceState", importResourceState),
        ValidateDataResourceConfig: createRpc("ValidateDataResourceConfig", validatePart("dataSources")),
        ReadDataSource: createRpc("ReadDataSource", readDataSource),
        ValidateListResourceConfig: async () => ({}),
        async ListResource(request, send) {
          const last = await list(request, send);
          return last.diagnostics.length > 0 ? last : undefined;
        },
        ValidateActionConfig: createRpc("ValidateActionConfig", validatePart("actions")),
        PlanAction: async () => ({}),
        InvokeAction: async (request, send) => ({ completed: await invoke(request, send) }),
      },
      async close() {
        stopping.abort();
        if (session.configured) await provider.close?.(session.configured.client as Client);
      },
    };
  };
}
