import { failuresOf } from "../stand-ins/failures.js";
import { startVault } from "../stand-ins/vault.js";
import { describeSource, type StartedSource, written } from "./compliance.js";

/** A secret that a job reads which logs in by AppRole. */
describeSource("vault", async (): Promise<StartedSource> => {
  const vault = await startVault();
  const asked = (part: string) =>
    vault.requests.filter((request) => request.startsWith(`GET /v1/kv/${part}/`)).length;
  return {
    environment: {
      ...{ VAULT_ADDR: vault.url, VAULT_AUTH_METHOD: "approle" },
      ...{ VAULT_ROLE_ID: "ci", VAULT_SECRET_ID: "a-secret-id" },
    },
    written: (name, timeoutSeconds) => written("vault", { path: `kv/${name}`, field: "key", timeoutSeconds }),
    put: (name, key) => void vault.put(name, { key }),
    failures: {
      ...failuresOf(vault),
      unauthorized: () => {
        vault.logsIn = () => false;
      },
      forbidden: () => vault.rights.clear(),
      missing: (name) => vault.remove(name),
      empty: (name) => void vault.put(name, { key: " " }),
    },
    reads: () => asked("data"),
    versions: {
      asked: () => asked("metadata"),
      refuseValues: () => void vault.rights.delete("data"),
      allowValues: () => void vault.rights.add("data"),
    },
    stop: () => vault.close(),
  };
});
