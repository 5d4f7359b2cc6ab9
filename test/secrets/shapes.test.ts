// @module-tag night
/** Tests that errors about malformed vault responses never contain the value. */
import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { ValueSource } from "../../src/core/secrets/index.js";
import { read, readVersion } from "./asking.js";
import { setVariables } from "./environment.js";
import { startAzure } from "./stand-ins/azure.js";
import { startGoogle } from "./stand-ins/google.js";
import { type StandIn, startStandIn } from "./stand-ins/server.js";
import { startVault } from "./stand-ins/vault.js";

const canary = "kanarie-61-shape-vogel";

interface Shaped {
  readonly source: ValueSource;
  readonly environment: Readonly<Record<string, string>>;
  /** Correct response. */
  readonly right: object;
  answer(body: string): void;
}

const createHttpStandIn = (standIn: StandIn, rest: Omit<Shaped, "answer">): Shaped => {
  onTestFinished(() => standIn.close());
  onTestFinished(setVariables(rest.environment));
  return { ...rest, answer: (body) => Object.assign(standIn, { fault: { status: 200, body } }) };
};

async function startAws(source: ValueSource, right: object): Promise<Shaped> {
  const standIn = await startStandIn(() => ({ status: 200, body: right }));
  const login = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "key" };
  return createHttpStandIn(standIn, {
    source,
    environment: { AWS_ENDPOINT_URL: standIn.url, ...login },
    right,
  });
}

const starts: Readonly<Record<string, () => Promise<Shaped>>> = {
  async vault() {
    const vault = await startVault();
    return createHttpStandIn(vault, {
      source: { from: "vault", path: "kv/llm", field: "key", address: vault.url },
      environment: { VAULT_TOKEN: vault.token },
      right: {
        data: {
          ...{ data: { key: canary }, metadata: { version: 3, created_time: "2026-01-01T00:00:00Z" } },
          ...{ current_version: 3, versions: { 3: { created_time: "2026-01-01T00:00:00Z" } } },
        },
      },
    });
  },
  async "azure-key-vault"() {
    const azure = await startAzure();
    const id = `${azure.url}/secrets/llm/0123456789abcdef0123456789abcdef`;
    const attributes = { enabled: true, created: 1 };
    return createHttpStandIn(azure, {
      source: { from: "azure-key-vault", url: azure.url, secret: "llm" },
      environment: azure.environment,
      right: { value: canary, id, attributes },
    });
  },
  async "google-secret-manager"() {
    const google = await startGoogle();
    const name = "projects/kiosk/secrets/llm";
    return createHttpStandIn(google, {
      source: { from: "google-secret-manager", secret: name, endpoint: google.url },
      environment: google.environment,
      right: { name: `${name}/versions/1`, state: 1, payload: { data: btoa(canary), dataCrc32c: "1" } },
    });
  },
  "aws-secrets-manager": () =>
    startAws(
      { from: "aws-secrets-manager", id: "llm" },
      { SecretString: canary, VersionId: "v", VersionIdsToStages: { v: ["AWSCURRENT"] } },
    ),
};

/** Returns variants of the value, each with one part replaced. */
function listVariants(value: unknown): unknown[] {
  const others: unknown[] = [null, true, -1, "", [], {}, [[]], { toString: 1, length: 1e9 }];
  if (typeof value !== "object" || value === null) return others;
  const parts = Object.entries(value).flatMap(([key, part]) =>
    listVariants(part).map((other) =>
      Array.isArray(value)
        ? value.map((one, at) => (String(at) === key ? other : one))
        : { ...value, [key]: other },
    ),
  );
  return [...others, ...parts];
}

for (const [name, start] of Object.entries(starts))
  test(`reports a response of the wrong shape from ${name} without showing the value`, async () => {
    const { source, environment, right, answer } = await start();
    const deep = `${'{"data":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const own = '{"__proto__":{"value":"x"},"constructor":{"prototype":1}}';
    for (const body of [deep, own, "", "{", ...listVariants(right).map((one) => JSON.stringify(one))]) {
      answer(body);
      for (const ask of [read, readVersion]) {
        const asked: unknown = await ask(source, environment).catch((thrown: unknown) => thrown);
        const shown = body.slice(0, 300);
        if (!(asked instanceof Error)) {
          if (ask === read) expect(asked, shown).toMatchObject({ value: canary });
          continue;
        }
        expect(asked, shown).toMatchObject({
          code: expect.stringMatching(/^(malformed|unreadable|not-found|empty|refused|failed)$/),
        });
        expect(inspect(asked, { depth: 9, showHidden: true }), shown).not.toContain(canary);
      }
    }
  });
