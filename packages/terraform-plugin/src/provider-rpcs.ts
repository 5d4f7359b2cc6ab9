import { answer } from "./answer.js";
import type { Rpcs } from "./rpc.js";
import type { SchemaAnswer } from "./schema.js";
import type { Session } from "./session.js";
import { checkConfig } from "./validate.js";
import { requiredObject } from "./wire-value.js";

type ProviderRpcs = Pick<
  Rpcs,
  | "GetMetadata"
  | "GetProviderSchema"
  | "GetFunctions"
  | "ValidateProviderConfig"
  | "ConfigureProvider"
  | "StopProvider"
>;

/** The calls about the provider itself. */
export function providerRpcs<Client>(
  session: Session<Client>,
  { schema, stop }: { readonly schema: () => SchemaAnswer; readonly stop: () => void },
): ProviderRpcs {
  const { provider } = session;
  const { attributes } = provider;
  return {
    GetMetadata: () =>
      answer(session, "GetMetadata", "", () => {
        const types = (definitions: object) => Object.keys(definitions).map((typeName) => ({ typeName }));
        return {
          serverCapabilities: schema().serverCapabilities,
          resources: types(provider.resources),
          dataSources: types(provider.dataSources),
          ephemeralResources: types(provider.ephemeralResources),
          functions: Object.keys(provider.functions).map((name) => ({ name })),
        };
      }),

    GetProviderSchema: () => answer(session, "GetProviderSchema", "", schema),

    GetFunctions: () => answer(session, "GetFunctions", "", () => ({ functions: schema().functions })),

    ValidateProviderConfig: ({ config: sent }) =>
      answer(session, "ValidateProviderConfig", "", async (call) => {
        const config = requiredObject(sent, attributes);
        checkConfig(attributes, config, { ...call, writeOnlyAllowed: false });
        await provider.validate?.({ ...call, config });
        return {};
      }),

    ConfigureProvider: ({ config: sent }) =>
      answer(session, "ConfigureProvider", "", async (call) => {
        const client = await provider.configure({ ...call, config: requiredObject(sent, attributes) });
        if (client !== null) session.configured = { client };
        else if (!call.report.hasErrors()) throw new Error("Bug: configure gave no client, and no error");
        return {};
      }),

    async StopProvider() {
      stop();
      session.log("debug", "StopProvider");
      return {};
    },
  };
}
