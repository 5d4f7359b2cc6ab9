import type { Handler } from "./respond.js";

/** Names everything that the provider has. */
export const getMetadata: Handler<"GetMetadata"> = ({ provider, schema }) => {
  const types = (definitions: object) => Object.keys(definitions).map((typeName) => ({ typeName }));
  return {
    serverCapabilities: schema().serverCapabilities,
    resources: types(provider.resources),
    dataSources: types(provider.dataSources),
    listResources: types(provider.listResources),
    actions: types(provider.actions),
    functions: Object.keys(provider.functions).map((name) => ({ name })),
  };
};
