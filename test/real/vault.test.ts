// @module-tag vault
/** Checks the assumptions of test/secrets/vault.test.ts with the real Vault. */
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCanary, type Fields, formatFailure, runOn } from "../secrets/vault/run.js";
import { startVault, type VaultServer } from "./vault.js";
import { createOperator, type Operator } from "./vault-operator.js";

describe("Vault", () => {
  let server: VaultServer;
  let operator: Operator;
  beforeAll(async () => {
    server = await startVault();
    operator = createOperator(server);
  });
  afterAll(async () => {
    await server.close();
  });
  const asRoot = () => runOn(server, { VAULT_TOKEN: server.rootToken });
  const as = async (rules: Readonly<Record<string, readonly string[]>>) =>
    runOn(server, { VAULT_TOKEN: await operator.newToken(await operator.newPolicy(rules)) });

  /** Creates a secret in a version 2 KV engine. */
  async function newSecret(data: object = { api_key: createCanary() }): Promise<string> {
    const mount = await operator.newEngine(2);
    await write(mount, data);
    return mount;
  }
  const write = (mount: string, data: object) => operator.ask("POST", `${mount}/data/llm`, { data });

  test("returns a field from KV version 2 with the version from its metadata", async () => {
    const secret = createCanary();
    const mount = await newSecret({ api_key: secret, other: createCanary() });
    const run = asRoot();
    const fields = { path: `${mount}/llm`, field: "api_key" };
    const { value, version } = await run.read(fields);
    expect([value, version]).toEqual([secret, expect.stringMatching(/^1-[0-9a-f]{8}$/)]);
    expect(await run.version(fields)).toBe(version);
    await run.close();
  });

  test("returns a field from KV version 1 without a version", async () => {
    const mount = await operator.newEngine(1);
    const secret = createCanary();
    await operator.ask("POST", `${mount}/team/llm`, { api_key: secret });
    const run = await as({ [`${mount}/team/llm`]: ["read"] });
    const fields = { path: `${mount}/team/llm`, field: "api_key" };
    expect(await run.read(fields)).toEqual({ value: secret });
    expect(await run.version(fields)).toBeUndefined();
    await run.close();
  });

  test("returns a different version for a new value", async () => {
    const [first, second] = [createCanary(), createCanary()];
    const mount = await newSecret({ api_key: first });
    const fields = { path: `${mount}/llm`, field: "api_key" };
    await write(mount, { api_key: second });
    const run = asRoot();
    const after = await run.read(fields);
    expect([after.value, after.version]).toEqual([second, expect.stringMatching(/^2-/)]);
    expect(await run.version(fields)).toBe(after.version);
  });

  test("returns a different version for a secret that was deleted and recreated", async () => {
    const mount = await newSecret();
    const fields = { path: `${mount}/llm`, field: "api_key" };
    const before = await asRoot().version(fields);
    await operator.ask("DELETE", `${mount}/metadata/llm`);
    await write(mount, { api_key: createCanary() });
    const after = await asRoot().version(fields);
    expect([before, after]).toEqual([expect.stringMatching(/^1-/), expect.stringMatching(/^1-/)]);
    expect(after).not.toBe(before);
  });

  test("returns the version but no value to a token that can read only metadata", async () => {
    const mount = await newSecret();
    const run = await as({ [`${mount}/metadata/llm`]: ["read"] });
    const fields = { path: `${mount}/llm`, field: "api_key" };
    expect(await run.version(fields)).toMatch(/^1-/);
    expect(await formatFailure(run.read(fields), [mount, "kv"])).toBe(
      `refused: The Vault secret kv/llm, field api_key cannot be read: the token lacks permission to read the secret's value. Its policy needs path "kv/data/llm" { capabilities = ["read"] }. To plan unchanged secrets, kv/metadata/llm is enough.`,
    );
  });

  test("returns the version with the value, but not separately, to a token that can read only data", async () => {
    const mount = await newSecret();
    const run = await as({ [`${mount}/data/llm`]: ["read"] });
    const fields = { path: `${mount}/llm`, field: "api_key" };
    expect(await run.version(fields)).toBeUndefined();
    expect((await run.read(fields)).version).toMatch(/^1-/);
  });

  test("rejects a token without access, and the error suggests a policy", async () => {
    const mount = await newSecret();
    const run = await as({ "elsewhere/*": ["read"] });
    const fields = { path: `${mount}/llm`, field: "api_key" };
    const message =
      'refused: The Vault secret kv/llm, field api_key cannot be read: the token\'s policies deny access, or no secrets engine is mounted at this path. Allow access in a policy, for example with path "kv/data/llm" { capabilities = ["read"] }.';
    expect(await formatFailure(run.read(fields), [mount, "kv"])).toBe(message);
    expect(await formatFailure(run.version(fields), [mount, "kv"])).toBe(message);
  });

  test("explains a missing secret, field, version or engine in separate messages", async () => {
    const nothing = async () => {};
    const nested = { api_key: { nested: createCanary() } };
    const engine = await formatFailure(asRoot().read({ path: "cubbyhole/llm", field: "api_key" }));
    const messages = [`a KV engine\n  ${engine}\n`];
    const cases: readonly (readonly [string, (mount: string) => Promise<unknown>, Fields])[] = [
      ["a secret", nothing, { path: "other" }],
      ["a secret whose path contains the API's data/ segment", nothing, { path: "data/llm" }],
      ["a field", nothing, { path: "llm", field: "API_KEY" }],
      ["a field that all objects have", nothing, { path: "llm", field: "constructor" }],
      ["a text value", (mount) => write(mount, nested), { path: "llm" }],
      ["a deleted version", (mount) => operator.ask("DELETE", `${mount}/data/llm`), { path: "llm" }],
      [
        "a destroyed version",
        (mount) => operator.ask("POST", `${mount}/destroy/llm`, { versions: [1] }),
        { path: "llm" },
      ],
      ["a path below the engine", nothing, { path: "" }],
      ["a path in the engine", nothing, { path: "../sys/seal" }],
    ];
    for (const [what, prepare, { path: below, ...fields }] of cases) {
      const mount = await newSecret();
      await prepare(mount);
      const all = { field: "api_key", ...fields, path: `${mount}/${below}` };
      messages.push(`${what}\n  ${await formatFailure(asRoot().read(all), [mount, "kv"])}\n`);
    }
    await expect(messages.join("")).toMatchFileSnapshot(
      path.join(import.meta.dirname, "../secrets/vault/missing.txt"),
    );
  });

  test.each([
    ["deleted", "version 1 was deleted"],
    ["destroyed", "version 1 was destroyed"],
    ["absent", "does not exist"],
  ])("returns no version for a secret that is %s", async (which, reason) => {
    const mount = await newSecret();
    if (which === "deleted") await operator.ask("DELETE", `${mount}/data/llm`);
    if (which === "destroyed") await operator.ask("POST", `${mount}/destroy/llm`, { versions: [1] });
    if (which === "absent") await operator.ask("DELETE", `${mount}/metadata/llm`);
    const failed = await formatFailure(asRoot().version({ path: `${mount}/llm`, field: "api_key" }));
    expect(failed).toContain(reason);
  });

  test("accepts any characters in a path", async () => {
    const mount = await operator.newEngine(2);
    const secret = createCanary();
    await operator.ask("POST", `${mount}/data/a%20b/c%3Fd%25`, { data: { "#1": secret } });
    const { value } = await asRoot().read({ path: `${mount}/a b/c?d%`, field: "#1" });
    expect(value).toBe(secret);
  });

  test("distinguishes an unknown token from a missing permission", async () => {
    const mount = await newSecret();
    const run = runOn(server, { VAULT_TOKEN: `hvs.${createCanary()}` });
    const failed = await formatFailure(run.read({ path: `${mount}/llm`, field: "api_key" }), [mount, "kv"]);
    expect(failed.replace(server.url, "ADDRESS")).toBe(
      "refused: The Vault secret kv/llm, field api_key cannot be read: Vault at ADDRESS rejected the token as unknown or expired. Log in again (`vault login`), or set VAULT_TOKEN to a valid one.",
    );
  });

  test("is reported as unavailable if sealed", async () => {
    const mount = await newSecret();
    await operator.ask("PUT", "sys/seal");
    const failed = await formatFailure(asRoot().read({ path: `${mount}/llm`, field: "api_key" }), [
      mount,
      "kv",
    ]);
    await operator.ask("PUT", "sys/unseal", { key: server.unsealKey });
    expect(failed.replace(server.url, "ADDRESS")).toBe(
      "unreachable: The Vault secret kv/llm, field api_key cannot be read: Vault at ADDRESS responded with status 503. Tried 4 times.",
    );
  });
});
