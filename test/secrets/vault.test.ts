import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { serve } from "../listening.js";
import { describeSource, formatSource, type StartedSource } from "./sources/compliance.js";
import { createFailures } from "./stand-ins/failures.js";
import { createRefusal, createSuccess, startVault, type VaultStandIn } from "./stand-ins/vault.js";
import { createCanary, type Fields, formatFailure, runOn } from "./vault/run.js";

/*
 * Tests Vault with a stand-in in every run. test/real/vault.test.ts checks nightly that the real Vault behaves the
 * same.
 */

let vault: VaultStandIn;
let folder = "";
const value = createCanary();
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "avatarops-vault-"));
});
beforeEach(async () => {
  vault = await startVault();
  vault.put("llm", { api_key: value, user: createCanary(), nested: { api_key: createCanary() } });
});
afterEach(() => vault.close());
afterAll(() => rm(folder, { recursive: true }));

const createFields = (more: Fields = {}) => ({ path: "kv/llm", field: "api_key", ...more });
const runAsRoot = (more: Readonly<Record<string, string>> = {}) =>
  runOn(vault, { VAULT_TOKEN: vault.token, ...more }, folder);
const formatProblem = (asking: Promise<unknown>) =>
  formatFailure(asking, [vault.url, "ADDRESS"], [folder, ""]);
const unread = "The Vault secret kv/llm, field api_key cannot be read:";

describe("Vault secret", () => {
  test("is read together with its version, in one request per path in each run", async () => {
    const run = runAsRoot();
    const [one, , version] = await Promise.all([
      run.read(createFields()),
      run.read(createFields({ field: "user" })),
      run.version(createFields()),
    ]);
    await run.close();
    expect(one).toEqual({ value, version: expect.stringMatching(/^1-[0-9a-f]{8}$/) });
    expect(version).toBe(one.version);
    expect(vault.requests.toSorted()).toEqual([
      "GET /v1/kv/data/llm",
      "GET /v1/kv/metadata/llm",
      "GET /v1/sys/internal/ui/mounts/kv/llm",
    ]);
  });

  test("has no version in KV version 1", async () => {
    vault.answers.set(
      "GET sys/internal/ui/mounts/old/llm",
      createSuccess({ path: "old/", type: "kv", options: null }),
    );
    vault.answers.set("GET old/llm", createSuccess({ api_key: value }));
    const run = runAsRoot();
    expect(await run.read(createFields({ path: "old/llm" }))).toEqual({ value });
    expect(await run.version(createFields({ path: "old/llm" }))).toBeUndefined();
  });

  test("gets a new version if its value changes, or if it is removed permanently and created again", async () => {
    const before = await runAsRoot().read(createFields());
    vault.put("llm", { api_key: createCanary() });
    const run = runAsRoot();
    expect((await run.read(createFields())).version).toMatch(/^2-/);
    expect(await run.version(createFields())).toMatch(/^2-/);
    vault.remove("llm");
    vault.put("llm", { api_key: value });
    const after = await runAsRoot().version(createFields());
    expect(after).toMatch(/^1-/);
    expect(after).not.toBe(before.version);
  });

  test("can have any characters in its path and field", async () => {
    vault.put("a b/c?d%", { "#1": value });
    expect((await runAsRoot().read({ path: "kv/a b/c?d%", field: "#1" })).value).toBe(value);
    expect(vault.requests).toContain("GET /v1/kv/data/a b/c?d%");
  });

  test("is reported with the missing engine, secret, version or field if it cannot be read", async () => {
    const messages = [];
    vault.put("text", { api_key: { nested: createCanary() } });
    for (const version of vault.put("deleted", {})) version.deletion_time = "2026-01-01T00:00:00Z";
    for (const version of vault.put("destroyed", {})) version.destroyed = true;
    const cases: readonly (readonly [what: string, fields: Fields])[] = [
      ["a KV engine", { path: "cubbyhole/llm" }],
      ["a secret", { path: "kv/other" }],
      ["a secret whose path contains the API's data/ segment", { path: "kv/data/llm" }],
      ["a field", { field: "API_KEY" }],
      ["a field that all objects have", { field: "constructor" }],
      ["a text value", { path: "kv/text" }],
      ["a deleted version", { path: "kv/deleted" }],
      ["a destroyed version", { path: "kv/destroyed" }],
      ["a path below the engine", { path: "kv/" }],
      ["a path in the engine", { path: "kv/../sys/seal" }],
    ];
    for (const [what, more] of cases)
      messages.push(
        `${what}\n  ${(await formatProblem(runAsRoot().read(createFields(more)))).replaceAll(/kv\/(?:text|deleted|destroyed)|(?<==1 )(?:deleted|destroyed)/g, (name) => (name.startsWith("kv") ? "kv/llm" : "llm"))}\n`,
      );
    await expect(messages.join("")).toMatchFileSnapshot(path.join(import.meta.dirname, "vault/missing.txt"));
    for (const [name, reason] of [
      ["deleted", "version 1 was deleted"],
      ["destroyed", "version 1 was destroyed"],
      ["other", "does not exist"],
    ] as const)
      expect(await formatProblem(runAsRoot().version(createFields({ path: `kv/${name}` })))).toContain(
        reason,
      );
  });
});

describe("Vault token", () => {
  const needed = 'path "kv/data/llm" { capabilities = ["read"] }';

  test("needs access to the metadata path for a secret's version, and to the data path for its value", async () => {
    vault.rights.delete("data");
    expect(await runAsRoot().version(createFields())).toMatch(/^1-/);
    expect(await formatProblem(runAsRoot().read(createFields()))).toBe(
      `refused: ${unread} the token lacks permission to read the secret's value. Its policy needs ${needed}. To plan unchanged secrets, kv/metadata/llm is enough.`,
    );
    vault.rights.add("data").delete("metadata");
    expect(await runAsRoot().version(createFields())).toBeUndefined();
    expect((await runAsRoot().read(createFields())).version).toMatch(/^1-/);
  });

  test("is reported with its missing permissions, or as unknown", async () => {
    vault.rights.clear();
    const message = `refused: ${unread} the token's policies deny access, or no secrets engine is mounted at this path. Allow access in a policy, for example with ${needed}.`;
    expect(await formatProblem(runAsRoot().read(createFields()))).toBe(message);
    expect(await formatProblem(runAsRoot().version(createFields()))).toBe(message);
    expect(
      await formatProblem(runAsRoot({ VAULT_TOKEN: `hvs.${createCanary()}` }).read(createFields())),
    ).toBe(
      `refused: ${unread} Vault at ADDRESS rejected the token as unknown or expired. Log in again (\`vault login\`), or set VAULT_TOKEN to a valid one.`,
    );
  });
});

describe("Vault address or token", () => {
  test("is read from `vault login` if VAULT_TOKEN is not set, and reported as missing without a login", async () => {
    expect(await formatProblem(runOn(vault, { HOME: folder }).read(createFields()))).toBe(
      `not-set: ${unread} no Vault token was found. Set VAULT_TOKEN or run \`vault login\`. In CI, set VAULT_AUTH_METHOD to approle or jwt.`,
    );
    await writeFile(path.join(folder, ".vault-token"), `${vault.token}\n`);
    expect((await runOn(vault, { HOME: folder }).read(createFields())).value).toBe(value);
  });

  test.each([
    ["", "not-set", "the server address is missing. Set VAULT_ADDR, or the field `address`."],
    ...["vault.example.com", "ftp://vault.example.com", "https://user:canary-password@vault.example.com"].map(
      (address) => [
        address,
        "failed",
        "the server address is malformed. Set VAULT_ADDR, or the field `address`, to a URL such as https://vault.example.com:8200.",
      ],
    ),
  ])("is rejected if the address is %j", async (url = "", code, message) => {
    const run = runOn({ url }, { VAULT_TOKEN: vault.token });
    expect(await formatFailure(run.read(createFields()))).toBe(`${code}: ${unread} ${message}`);
  });

  test.each(["a token\nwith a second line", "tökén"])("is rejected if the token is %j", async (token) => {
    expect(await formatProblem(runAsRoot({ VAULT_TOKEN: token }).read(createFields()))).toMatch(
      /^failed: .* the token is empty or contains spaces/,
    );
  });
});

describe("CI job's Vault login", () => {
  const approle = { VAULT_AUTH_METHOD: "approle", VAULT_ROLE_ID: "ci", VAULT_SECRET_ID: createCanary() };
  const jwt = { VAULT_AUTH_METHOD: "jwt", VAULT_AUTH_PATH: "ci/jwt", VAULT_AUTH_ROLE: "team" };
  const logins = () => vault.requests.filter((request) => request.endsWith("/login"));

  test.each([
    ["approle", "auth/approle", approle, { role_id: "ci", secret_id: approle.VAULT_SECRET_ID }],
    ["jwt", "auth/ci/jwt", { ...jwt, VAULT_ID_TOKEN: "a.jwt" }, { role: "team", jwt: "a.jwt" }],
    [
      "jwt from a file, as in a pod",
      "auth/kubernetes",
      { ...jwt, VAULT_AUTH_PATH: "kubernetes", VAULT_AUTH_JWT_FILE: "of-the-pod" },
      { role: "team", jwt: "of-the-account" },
    ],
  ] as const)(
    "uses %s once until the token expires, and revokes each token at the end of the run",
    async (_, mount, variables, body) => {
      await writeFile(path.join(folder, "of-the-pod"), "of-the-account\n");
      const sent: unknown[] = [];
      vault.logsIn = (_, given) => sent.push(given) > 0;
      const run = runOn(vault, variables, folder);
      await Promise.all([
        run.read(createFields()),
        run.read(createFields({ field: "user" })),
        run.version(createFields()),
      ]);
      expect([sent, vault.tokens.size]).toEqual([[body], 2]);
      for (const token of vault.tokens) if (token !== vault.token) vault.tokens.delete(token);
      vault.put("voice", { api_key: value });
      expect((await run.read(createFields({ path: "kv/voice" }))).value).toBe(value);
      await run.close();
      expect([sent, [...vault.tokens]]).toEqual([[body, body], [vault.token]]);

      vault.logsIn = () => false;
      const refused = runOn(vault, variables, folder);
      expect(await formatProblem(refused.read(createFields()))).toBe(
        `refused: ${unread} Vault at ADDRESS rejected the login at ${mount} (status 400). Check that the auth method is enabled there and that the role exists. The role must accept this job's secret id, JWT audience and claims, or service account.`,
      );
      vault.requests.splice(0);
      await formatProblem(refused.read(createFields({ field: "user" })));
      expect(logins()).toEqual([]);
    },
  );

  test("names a disabled auth method or a missing file", async () => {
    vault.answers.set("POST auth/nowhere/login", createRefusal(403, "permission denied"));
    const variables = { ...jwt, VAULT_AUTH_PATH: "nowhere", VAULT_ID_TOKEN: "a.jwt" };
    expect(await formatProblem(runOn(vault, variables).read(createFields()))).toContain(
      "rejected the login at auth/nowhere (status 403)",
    );
    expect(
      await formatProblem(
        runOn(vault, { ...jwt, VAULT_AUTH_JWT_FILE: "nobody" }, folder).read(createFields()),
      ),
    ).toContain(
      "the file /nobody contains no JWT for the login. Correct VAULT_AUTH_JWT_FILE or the file's permissions.",
    );
    expect(
      await formatProblem(runOn(vault, { VAULT_AUTH_METHOD: "approle" }).read(createFields())),
    ).toContain("VAULT_ROLE_ID is not set, but VAULT_AUTH_METHOD requires it.");
  });

  test("uses the secret's namespace", async () => {
    vault.namespace = "team";
    const run = runOn(vault, { ...approle, VAULT_NAMESPACE: "team/" });
    expect((await run.read(createFields())).value).toBe(value);
    expect(await formatProblem(runOn(vault, approle).read(createFields()))).toContain("rejected the login");
  });

  test("stops if the run is cancelled", async () => {
    vault.instead = () => {};
    const run = runOn(vault, approle);
    expect(await formatProblem(run.read(createFields({ timeoutMs: 50 })))).toMatch(/^timed-out: /);
    await run.close();
  });

  describe("on GitHub Actions", () => {
    const requestToken = createCanary();
    const asked: string[] = [];
    const onGithub = async (answer: string) => {
      const server = await serve(({ url, headers }, response) => {
        asked.push(String(url), String(headers.authorization));
        response.end(answer);
      });
      onTestFinished(() => server.close());
      return {
        ...jwt,
        ACTIONS_ID_TOKEN_REQUEST_URL: `${server.url}/token?api-version=2`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
      };
    };

    test("requests a JWT with the configured audience and uses it to log in", async () => {
      vault.logsIn = (at, { jwt }) => at === "auth/ci/jwt/login" && jwt === "from.github";
      const audience = { VAULT_AUTH_AUDIENCE: "https://vault.example.com" };
      const run = runOn(vault, { ...(await onGithub('{"count":1,"value":"from.github"}')), ...audience });
      expect((await run.read(createFields())).value).toBe(value);
      expect(asked).toEqual([
        `/token?api-version=2&audience=${encodeURIComponent("https://vault.example.com")}`,
        `Bearer ${requestToken}`,
      ]);
    });

    test.each([
      ["a page", "<html>"],
      ["no token", "{}"],
      ["too much", createCanary().repeat(10_000)],
    ])("names the missing permission if GitHub returns %s", async (_, answer) => {
      expect(await formatProblem(runOn(vault, await onGithub(answer)).read(createFields()))).toContain(
        "GitHub returned no JWT for the login. Give the job the permission `id-token: write`, or retry.",
      );
    });
  });
});

describe("Vault response", () => {
  const page = `<html>${createCanary()}</html>`;
  test.each([
    ["from a proxy", 403, page, "malformed", "the response is not from Vault at ADDRESS (status 403)."],
    ["that is a list", 200, "[]", "malformed", "the response is not from Vault at ADDRESS (status 200)."],
    ["from another server", 200, "{}", "malformed", "the response is not a KV secret."],
    ["that redirects", 307, "", "refused", "redirects to another URL, and credentials are not sent there."],
    ["for too many requests", 429, "{}", "unreachable", "Vault at ADDRESS responded with status 429."],
    ["from a failing proxy", 502, page, "unreachable", "Vault at ADDRESS responded with status 502."],
  ])("%s is reported with its cause", async (_, status, text, code, message) => {
    vault.instead = (_, response) => response.writeHead(status).end(text);
    const failed = await formatProblem(runAsRoot().read(createFields()));
    expect(failed.startsWith(`${code}: ${unread} `)).toBe(true);
    expect(failed).toContain(message);
  });

  test("is reported as missing after four attempts if the server is unreachable", async () => {
    expect(await formatProblem(runAsRoot({ VAULT_ADDR: "http://127.0.0.1:1" }).read(createFields()))).toBe(
      `unreachable: ${unread} no response from Vault at http://127.0.0.1:1 (127.0.0.1:1 refused the connection). Check VAULT_ADDR, or the field \`address\`. Tried 4 times.`,
    );
  });

  test("is accepted over TLS only with the CA's certificate", async () => {
    const secure = await startVault({ tls: true });
    onTestFinished(() => secure.close());
    secure.put("llm", { api_key: value });
    const files = { "ca.pem": secure.certificate, "other.pem": otherCa, "none.pem": createCanary() };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const read = (variables: Readonly<Record<string, string>>) =>
      runOn(secure, { VAULT_TOKEN: secure.token, ...variables }, folder).read(createFields());
    expect((await read({ VAULT_CACERT: path.join(folder, "ca.pem") })).value).toBe(value);
    const formatError = (variables: Readonly<Record<string, string>>) =>
      formatFailure(read(variables), [secure.url, "ADDRESS"], [folder, ""]);
    for (const more of [{}, { VAULT_CACERT: "other.pem" }] as Readonly<Record<string, string>>[]) {
      const untrusted = await formatError(more);
      expect(untrusted).toContain(`failed: ${unread} no secure connection to Vault at ADDRESS (`);
      expect(untrusted).toContain("Set VAULT_CACERT to a file with the CA's certificate.");
    }
    expect(await formatError({ VAULT_CACERT: "none.pem" })).toBe(
      `unreadable: ${unread} /none.pem is not a PEM file with certificates. Correct VAULT_CACERT.`,
    );
    const plain = { VAULT_ADDR: secure.url.replace("https", "http") };
    expect(await formatFailure(read(plain))).toMatch(/^(malformed|unreachable): /);
  });
});

/** Certificate of an unrelated CA. */
const otherCa = `-----BEGIN CERTIFICATE-----
MIIBfDCCASOgAwIBAgIUTFKAm7pzT3Jfy8yWT42MtbSAW1kwCgYIKoZIzj0EAwIw
EzERMA8GA1UEAwwIT3RoZXIgQ0EwIBcNMjYxMTIyMDI0MDE5WhgPMjEyNjEwMjkw
MjQwMTlaMBMxETAPBgNVBAMMCE90aGVyIENBMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEltJNAXnn3mYVG0OdFV6pT1wA4C3P6GzzP/Oq2CYl/E/bgvBuljYPUV+p
N3OhwjYr68Gg2fnxTDeEirqxSNfnqKNTMFEwHQYDVR0OBBYEFLlOKZxWqhkD6xeL
pJVPnQdkbx1LMB8GA1UdIwQYMBaAFLlOKZxWqhkD6xeLpJVPnQdkbx1LMA8GA1Ud
EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgPqXMSCtfZfIuJeVGgH81VvEq
zvmo/W6sxyGRc0vim+4CIDewQiudmMGBzjorsjZdtZ+CewQgfMGOnfbFh5bzcr1K
-----END CERTIFICATE-----`;

/** Runs the shared source suite for a job that logs in with AppRole. */
describeSource("vault", async (): Promise<StartedSource> => {
  const own = await startVault();
  const asked = (part: string) =>
    own.requests.filter((request) => request.startsWith(`GET /v1/kv/${part}/`)).length;
  return {
    environment: {
      ...{ VAULT_ADDR: own.url, VAULT_AUTH_METHOD: "approle" },
      ...{ VAULT_ROLE_ID: "ci", VAULT_SECRET_ID: "a-secret-id" },
    },
    written: (name, timeoutSeconds) =>
      formatSource("vault", { path: `kv/${name}`, field: "key", timeoutSeconds }),
    put: (name, key) => void own.put(name, { key }),
    failures: {
      ...createFailures(own),
      unauthorized: () => {
        own.logsIn = () => false;
      },
      forbidden: () => own.rights.clear(),
      missing: (name) => own.remove(name),
      empty: (name) => void own.put(name, { key: " " }),
    },
    reads: () => asked("data"),
    versions: {
      asked: () => asked("metadata"),
      refuseValues: () => void own.rights.delete("data"),
      allowValues: () => void own.rights.add("data"),
    },
    stop: () => own.close(),
  };
});
