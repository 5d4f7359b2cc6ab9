import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { catchSourceError, read, readVersion } from "./asking.js";
import { setVariables } from "./environment.js";
import { describeSource, formatSource, type StartedSource } from "./sources/compliance.js";
import { type AzureStandIn, startAzure } from "./stand-ins/azure.js";
import { createFailures } from "./stand-ins/failures.js";

let azure: AzureStandIn;
let restore: () => void;
beforeAll(async () => {
  azure = await startAzure();
  // Microsoft's library reads these variables from the process.
  restore = setVariables(azure.environment);
});
afterAll(async () => {
  restore();
  await azure.close();
});
beforeEach(() => {
  azure.denial = "ForbiddenByRbac";
  for (const right of ["getSecret", "readMetadata"] as const) azure.rights.add(right);
  azure.requests.splice(0);
});

const createSource = (secret: string, more: Record<string, string> = {}) => ({
  ...{ from: "azure-key-vault", url: azure.url, secret },
  ...more,
});

test("reads an older version of a Key Vault secret by its id", async () => {
  const id = azure.put("older", "old");
  azure.put("older", "new");
  expect(await read(createSource("older", { version: id }), process.env)).toEqual({
    value: "old",
    version: id,
  });
  expect(await readVersion(createSource("older", { version: id }), process.env)).toBe(id);
});

test("finds the newest Key Vault version across unordered pages without reading values", async () => {
  azure.rights.delete("getSecret");
  const newest = azure.put("paged", "new", { created: 1_800_000_000 });
  for (let version = 0; version < 4; version++) azure.put("paged", `old-${version}`);
  expect(await readVersion(createSource("paged"), process.env)).toBe(newest);
});

test("returns no Key Vault version if two versions have the same creation time", async () => {
  for (const value of ["one", "two"]) azure.put("tie", value, { created: 1_800_000_000 });
  expect(await readVersion(createSource("tie"), process.env)).toBeUndefined();
});

test("returns no Key Vault version if the login may not list versions", async () => {
  azure.rights.delete("readMetadata");
  azure.put("unlisted", "sk-1");
  expect(await readVersion(createSource("unlisted"), process.env)).toBeUndefined();
});

test("reports a disabled Key Vault version instead of falling back to an older version", async () => {
  azure.put("disabled", "old");
  azure.put("disabled", "new", { enabled: false });
  const expected = { code: "refused", message: expect.stringContaining("is disabled") };
  expect(await catchSourceError(read(createSource("disabled"), process.env))).toMatchObject(expected);
  expect(await catchSourceError(readVersion(createSource("disabled"), process.env))).toMatchObject(expected);
});

test("names the missing Key Vault permission, and the narrower permission that suffices for a plan", async () => {
  azure.put("denied", "sk-1");
  azure.rights.clear();
  const error = await catchSourceError(read(createSource("denied"), process.env));
  expect(error).toMatchObject({ code: "refused" });
  expect(error.message).toContain("Microsoft.KeyVault/vaults/secrets/getSecret/action");
  expect(error.message).toContain("Key Vault Reader or List is enough");
  expect(error.message).not.toContain(azure.token);
});

test("names the Key Vault firewall as the cause of a rejected request", async () => {
  azure.put("walled", "sk-1");
  azure.rights.clear();
  azure.denial = "ForbiddenByFirewall";
  const expected = { code: "refused", message: expect.stringContaining("vault's network rules") };
  expect(await catchSourceError(read(createSource("walled"), process.env))).toMatchObject(expected);
  expect(await catchSourceError(readVersion(createSource("walled"), process.env))).toMatchObject(expected);
});

test("does not follow a Key Vault page link to another address", async () => {
  const other = await startAzure();
  for (let version = 0; version < 3; version++) azure.put("elsewhere", `value-${version}`);
  const id = azure.put("elsewhere", "x");
  azure.fault = {
    status: 200,
    body: {
      value: [{ id: `${azure.url}/secrets/elsewhere/${id}`, attributes: { enabled: true, created: 1 } }],
      nextLink: `${other.url}/secrets/elsewhere/versions?api-version=2025-07-01`,
    },
  };
  const error = await catchSourceError(readVersion(createSource("elsewhere"), process.env));
  azure.fault = undefined;
  expect(error).toMatchObject({
    code: "malformed",
    message: expect.stringContaining("links to another server"),
  });
  expect(other.requests).toEqual([]);
  await other.close();
});

test("uses the `az login` token, as created by azure/login in CI", async () => {
  azure.put("cli", "sk-1");
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-az-"));
  const answer = {
    accessToken: azure.token,
    expires_on: 4_102_444_800,
    expiresOn: "2100-01-01 00:00:00.000000",
  };
  await writeFile(path.join(folder, "az"), `#!/bin/sh\necho '${JSON.stringify(answer)}'\n`);
  await chmod(path.join(folder, "az"), 0o755);
  const back = setVariables({
    AZURE_TOKEN_CREDENTIALS: "AzureCliCredential",
    PATH: `${folder}${path.delimiter}${process.env.PATH}`,
  });
  try {
    expect(await read(createSource("cli"), process.env)).toMatchObject({ value: "sk-1" });
    await writeFile(path.join(folder, "az"), "#!/bin/sh\necho 'Please run az login; canary' >&2; exit 1\n");
    expect(await catchSourceError(read(createSource("cli"), process.env))).toMatchObject({
      code: "refused",
      message: expect.stringContaining("no Azure login was found"),
    });
  } finally {
    back();
    await rm(folder, { recursive: true, force: true });
  }
});

describeSource(
  "azure-key-vault",
  async (): Promise<StartedSource> => {
    const own = await startAzure();
    const restore = setVariables(own.environment);
    return {
      environment: own.environment,
      written: (secret, timeoutSeconds) =>
        formatSource("azure-key-vault", { url: own.url, secret, timeoutSeconds }),
      put: (name, value) => void own.put(name, value),
      failures: {
        ...createFailures(own),
        forbidden: () => void own.rights.clear(),
        missing: (name) => own.remove(name),
        empty: (name) => void own.put(name, " \n"),
      },
      reads: () => own.asked.filter((what) => what === "value").length,
      versions: {
        asked: () => own.asked.filter((what) => what === "versions").length,
        refuseValues: () => void own.rights.delete("getSecret"),
        allowValues: () => void own.rights.add("getSecret"),
      },
      async stop() {
        restore();
        await own.close();
      },
    };
  },
  { package: "@azure/keyvault-secrets" },
);
