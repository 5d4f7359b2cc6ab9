// @module-tag vault
/** Tests job logins to the real Vault. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCanary, formatFailure, runOn } from "../secrets/vault/run.js";
import { startVault, type VaultServer } from "./vault.js";
import { createOperator, newKeys, type Operator } from "./vault-operator.js";

let server: VaultServer;
let operator: Operator;
beforeAll(async () => {
  server = await startVault();
  operator = createOperator(server);
});
afterAll(async () => {
  await server.close();
});

async function newSecret(data: object): Promise<string> {
  const mount = await operator.newEngine(2);
  await operator.ask("POST", `${mount}/data/llm`, { data });
  return mount;
}

describe("job login to Vault", () => {
  const logins = {
    async approle(policy: string) {
      const { mount, roleId, secretId } = await operator.newAppRole(policy);
      const variables = {
        VAULT_AUTH_METHOD: "approle",
        VAULT_AUTH_PATH: mount,
        VAULT_ROLE_ID: roleId,
        VAULT_SECRET_ID: secretId,
      };
      return { mount, good: variables, bad: { ...variables, VAULT_SECRET_ID: createCanary() } };
    },
    async jwt(policy: string) {
      const { mount, role, jwt } = await operator.newJwtRole("team/avatars", policy);
      const variables = {
        VAULT_AUTH_METHOD: "jwt",
        VAULT_AUTH_PATH: mount,
        VAULT_AUTH_ROLE: role,
        VAULT_ID_TOKEN: jwt(),
      };
      return { mount, good: variables, bad: { ...variables, VAULT_ID_TOKEN: newKeys().jwt({}) } };
    },
  };
  describe.each(["approle", "jwt"] as const)("by %s", (method) => {
    test("requests one token per run and revokes it at the end", async () => {
      const mount = await newSecret({ user: createCanary(), password: createCanary() });
      await operator.ask("POST", `${mount}/data/voice`, { data: { api_key: createCanary() } });
      const { good } = await logins[method](await operator.newPolicy({ [`${mount}/*`]: ["read"] }));
      const before = await operator.tokens();
      const run = runOn(server, good);
      const read = await Promise.all([
        run.read({ path: `${mount}/llm`, field: "user" }),
        run.read({ path: `${mount}/llm`, field: "password" }),
        run.read({ path: `${mount}/voice`, field: "api_key" }),
        run.version({ path: `${mount}/voice`, field: "api_key" }),
      ]);
      expect(read).toHaveLength(4);
      expect(await operator.tokens()).toHaveLength(before.length + 1);
      await run.close();
      expect(new Set(await operator.tokens())).toEqual(new Set(before));
    });

    test("requests a new token if the token expires during the run", async () => {
      const mount = await newSecret({ api_key: createCanary() });
      await operator.ask("POST", `${mount}/data/voice`, { data: { api_key: createCanary() } });
      const { good } = await logins[method](await operator.newPolicy({ [`${mount}/*`]: ["read"] }));
      const before = new Set(await operator.tokens());
      const run = runOn(server, good);
      await run.read({ path: `${mount}/llm`, field: "api_key" });
      for (const one of await operator.tokens()) if (!before.has(one)) await operator.revoke(one);
      expect((await run.read({ path: `${mount}/voice`, field: "api_key" })).version).toMatch(/^1-/);
      await run.close();
      expect(new Set(await operator.tokens())).toEqual(before);
    });

    test("explains what to check if Vault rejects the login", async () => {
      const { mount, bad } = await logins[method]("default");
      const failed = await formatFailure(runOn(server, bad).read({ path: "kv/llm", field: "api_key" }));
      expect(failed.replace(server.url, "ADDRESS").replace(mount, "MOUNT")).toBe(
        `refused: The Vault secret kv/llm, field api_key cannot be read: Vault at ADDRESS rejected the login at auth/MOUNT (status 400). Check that the auth method is enabled there and that the role exists. The role must accept this job's secret id, JWT audience and claims, or service account.`,
      );
    });
  });

  test("reports a rejected login if the auth method is not enabled", async () => {
    const login = {
      VAULT_AUTH_METHOD: "jwt",
      VAULT_AUTH_PATH: "nowhere",
      VAULT_ID_TOKEN: newKeys().jwt({}),
    };
    const failed = await formatFailure(runOn(server, login).read({ path: "kv/llm", field: "api_key" }));
    expect(failed).toContain("rejected the login at auth/nowhere (status 403)");
  });
});
