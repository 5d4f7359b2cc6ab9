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
 * Creates a server that responds to every call from the provider's definitions. Each connection gets its own client,
 * because only the connection distinguishes provider blocks.
 */
export function createProviderServer<Client>(provider: Provider<Client>): NewProviderServer {
  return ({ log }) => {
    const stopping = new AbortController();
    const session: Session = { provider, log, signal: stopping.signal, configured: undefined };
    const by =
      <Name extends RpcName>(name: Name, handle: Handler<Name>) =>
      (request: RpcRequest<Name>, send?: (response: RpcResponse<Name>) => void) =>
        respond(session, name, request, handle, send);
    const list = by("ListResource", listResource);
    const invoke = by("InvokeAction", invokeAction);
    return {
      rpcs: {
        GetProviderSchema: by("GetProviderSchema", () => encodeSchema(provider)),
        GetResourceIdentitySchemas: by("GetResourceIdentitySchemas", () => encodeIdentitySchemas(provider)),
        ValidateProviderConfig: by("ValidateProviderConfig", validateProviderConfig),
        ConfigureProvider: by("ConfigureProvider", configureProvider),
        async StopProvider() {
          stopping.abort();
          log("debug", "StopProvider");
          return {};
        },
        ValidateResourceConfig: by("ValidateResourceConfig", validateResourceConfig),
        UpgradeResourceState: by("UpgradeResourceState", upgradeResourceState),
        UpgradeResourceIdentity: by("UpgradeResourceIdentity", upgradeResourceIdentity),
        ReadResource: by("ReadResource", readResource),
        PlanResourceChange: by("PlanResourceChange", planResourceChange),
        ApplyResourceChange: by("ApplyResourceChange", applyResourceChange),
        ImportResourceState: by("ImportResourceState", importResourceState),
        ValidateDataResourceConfig: by("ValidateDataResourceConfig", validatePart("dataSources")),
        ReadDataSource: by("ReadDataSource", readDataSource),
        ValidateListResourceConfig: async () => ({}),
        async ListResource(request, send) {
          const last = await list(request, send);
          return last.diagnostics.length > 0 ? last : undefined;
        },
        ValidateActionConfig: by("ValidateActionConfig", validatePart("actions")),
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
