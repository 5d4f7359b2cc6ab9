import { whileSet } from "../environment.js";
import { startAzure } from "../stand-ins/azure.js";
import { failuresOf } from "../stand-ins/failures.js";
import { describeSource, type StartedSource, written } from "./compliance.js";

describeSource(
  "azure-key-vault",
  async (): Promise<StartedSource> => {
    const azure = await startAzure();
    const restore = whileSet(azure.environment);
    return {
      environment: azure.environment,
      written: (secret, timeoutSeconds) =>
        written("azure-key-vault", { url: azure.url, secret, timeoutSeconds }),
      put: (name, value) => void azure.put(name, value),
      failures: {
        ...failuresOf(azure),
        forbidden: () => void azure.rights.clear(),
        missing: (name) => azure.remove(name),
        empty: (name) => void azure.put(name, " \n"),
      },
      reads: () => azure.asked.filter((what) => what === "value").length,
      versions: {
        asked: () => azure.asked.filter((what) => what === "versions").length,
        refuseValues: () => void azure.rights.delete("getSecret"),
        allowValues: () => void azure.rights.add("getSecret"),
      },
      async stop() {
        restore();
        await azure.close();
      },
    };
  },
  { package: "@azure/keyvault-secrets" },
);
