import { describeSource, type StartedSource, written } from "../sources/compliance.js";
import { failuresOf } from "../stand-ins/failures.js";
import { operatorOf } from "./administer.js";
import type { StandIn } from "./stand-in.js";
import type { VaultServer } from "./vault-server.js";

/** Holds a secret in KV version 2, read by a job that logs in by AppRole, to what holds for every source. */
export function describeVaultSource(start: () => Promise<VaultServer | StandIn>): void {
  describeSource("vault", async (): Promise<StartedSource> => {
    const server = await start();
    const operator = operatorOf(server);
    const mount = await operator.newEngine(2);
    const read = ["read"];
    const everything = { [`${mount}/data/*`]: read, [`${mount}/metadata/*`]: read };
    const policy = await operator.newPolicy(everything);
    const setRights = (rules: typeof everything) => operator.setPolicy(policy, rules);
    const { mount: auth, roleId, secretId } = await operator.newAppRole(policy);
    const asked = (what: string) =>
      "instead" in server
        ? server.requests.filter((request) => request.startsWith(`GET /v1/${mount}/${what}/`)).length
        : 0;
    return {
      environment: {
        VAULT_ADDR: server.url,
        VAULT_AUTH_METHOD: "approle",
        VAULT_AUTH_PATH: auth,
        VAULT_ROLE_ID: roleId,
        VAULT_SECRET_ID: secretId,
      },
      written: (name, timeoutSeconds) =>
        written("vault", { path: `${mount}/${name}`, field: "key", timeoutSeconds }),
      async put(name, key) {
        await operator.ask("POST", `${mount}/data/${name}`, { data: { key } });
      },
      failures: {
        ...("instead" in server ? failuresOf(server) : {}),
        async unauthorized() {
          await operator.ask("DELETE", `auth/${auth}/role/ci`);
        },
        forbidden: () => setRights({ "elsewhere/*": read }),
        async missing(name) {
          await operator.ask("DELETE", `${mount}/metadata/${name}`);
        },
        async empty(name) {
          await operator.ask("POST", `${mount}/data/${name}`, { data: { key: " " } });
        },
      },
      ...("instead" in server ? { reads: () => asked("data") } : {}),
      versions: {
        asked: () => asked("metadata"),
        refuseValues: () => setRights({ [`${mount}/metadata/*`]: read }),
        allowValues: () => setRights(everything),
      },
      async stop() {
        await operator.close();
        await server.close();
      },
    };
  });
}
