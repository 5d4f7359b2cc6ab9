// @module-tag moto
// @module-tag night
/** Tests Secrets Manager through the official SDK, with moto as the server. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import {
  readCurrentVersion,
  resolve,
  resolveWithVersion,
  SourceRun,
  type ValueSource,
} from "../../src/core/secrets/index.js";
import { startProxy } from "../http/proxy.js";
import { s3Credentials, startMoto } from "../stores/s3-servers.js";
import type { Running } from "../stores/starting.js";
import { catchSourceError } from "./asking.js";
import { type AwsFront, startAwsFront } from "./aws/front.js";
import { createSecretsManager, startIn } from "./aws/source.js";
import { describeSource } from "./sources/compliance.js";
import type { Fault } from "./stand-ins/server.js";

const first = 'kanarie-47/Zx+9 "quoted" \\ %Qw~ümlaut-one-vogel';
const second = 'kanarie-48/Zx+9 "quoted" \\ %Qw~ümlaut-two-vogel';
const root = tmpdir();

const createSecret = (id: string, more: object = {}): ValueSource => ({
  from: "aws-secrets-manager",
  id,
  ...more,
});

describe("Secrets Manager source", () => {
  let server: Running;
  let front: AwsFront;
  let secrets: SecretsManagerClient;
  let arn = "";
  const usual = { ...process.env };

  beforeAll(async () => {
    Object.assign(process.env, s3Credentials, { AWS_EC2_METADATA_DISABLED: "true", AWS_REGION: "us-east-1" });
    server = await startMoto();
    front = await startAwsFront(server.port);
    process.env.AWS_ENDPOINT_URL = front.url;
    const endpoint = `http://127.0.0.1:${server.port}`;
    secrets = new SecretsManagerClient({ endpoint });
    const SecretString = JSON.stringify({ api_key: first, port: 5432, nested: { key: first } });
    const made = await secrets.send(new CreateSecretCommand({ Name: "llm/production", SecretString }));
    arn = made.ARN ?? "";
    await secrets.send(new CreateSecretCommand({ Name: "plain", SecretString: first }));
    await secrets.send(new CreateSecretCommand({ Name: "binary", SecretBinary: Buffer.from(first) }));
    await secrets.send(new CreateSecretCommand({ Name: "empty" }));
  });
  beforeEach(() => front.reset());
  afterEach(() => {
    Object.assign(process.env, s3Credentials);
    process.env.AWS_REGION = "us-east-1";
  });
  afterAll(async () => {
    process.env = usual;
    secrets?.destroy();
    await front?.close();
    await server?.close();
  });

  const environment = (more: Record<string, string> = {}) => ({
    ...{ root, allowCode: true, environment: more, backoffMs: 0, system: nodeSystem },
  });
  const reveal = async (source: ValueSource) => (await resolve(source, environment())).reveal();

  const sdk = "@aws-sdk/client-";
  describeSource("aws-secrets-manager", () => startIn(createSecretsManager(secrets), front), {
    package: `${sdk}secrets-manager`,
  });

  describe("secret value", () => {
    test.each([
      ["a plain secret", () => createSecret("plain"), first],
      ["a field in JSON", () => createSecret("llm/production", { field: "api_key" }), first],
      ["a number in JSON", () => createSecret("llm/production", { field: "port" }), "5432"],
      ["a binary secret", () => createSecret("binary"), first],
    ])("is read from %s", async (_, source, value) => {
      expect(await reveal(source())).toBe(value);
    });

    test("is read from the region in the secret's ARN", async () => {
      process.env.AWS_REGION = "eu-central-1";
      expect(await reveal(createSecret(arn, { field: "api_key" }))).toBe(first);
      expect(await catchSourceError(reveal(createSecret("llm/production")))).toMatchObject({
        code: "not-found",
        message:
          "The AWS Secrets Manager secret llm/production does not exist in eu-central-1, or has no such version. Create it, or correct its name, its version or the region.",
      });
      expect(await reveal(createSecret("plain", { region: "us-east-1" }))).toBe(first);
    });

    test("is read with a single AWS profile login for all sources in the same region", async () => {
      const folder = await mkdtemp(path.join(tmpdir(), "avatarops-aws-"));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const [log, login, config] = ["log", "login", "config"].map((name) => path.join(folder, name));
      const credentials = { Version: 1, AccessKeyId: "profile-key", SecretAccessKey: "profile-secret" };
      await writeFile(`${login}`, `#!/bin/sh\necho one >> ${log}\necho '${JSON.stringify(credentials)}'\n`, {
        mode: 0o755,
      });
      await writeFile(`${config}`, `[profile ci]\ncredential_process = ${login}\nregion = us-east-1\n`);
      for (const name of Object.keys(s3Credentials)) delete process.env[name];
      Object.assign(process.env, { AWS_PROFILE: "ci", AWS_CONFIG_FILE: config });
      const run = new SourceRun();
      await Promise.all(
        [
          createSecret("plain"),
          createSecret("binary"),
          createSecret("llm/production", { field: "api_key" }),
        ].map((source) => resolve(source, { ...environment(), run })),
      );
      await run.close();
      for (const name of ["AWS_PROFILE", "AWS_CONFIG_FILE"]) delete process.env[name];
      expect(await readFile(`${log}`, "utf8")).toBe("one\n");
      expect(front.requests).toHaveLength(3);
    });
  });

  describe("secret version", () => {
    test("is fetched without reading the value, and changes when the value changes", async () => {
      const source = createSecret("rotating", { field: "api_key" });
      const put = (value: string) => JSON.stringify({ api_key: value });
      await secrets.send(new CreateSecretCommand({ Name: "rotating", SecretString: put(first) }));
      const before = await readCurrentVersion(source, environment());
      expect(front.requests).toEqual(["secretsmanager.DescribeSecret"]);
      expect(await resolveWithVersion(source, environment())).toMatchObject({ version: before });

      await secrets.send(new PutSecretValueCommand({ SecretId: "rotating", SecretString: put(second) }));
      const after = await readCurrentVersion(source, environment());
      expect(after).not.toBe(before);
      const { value, version } = await resolveWithVersion(source, environment());
      expect([value.reveal(), version]).toEqual([second, after]);
    });

    test("is not available for a secret scheduled for deletion", async () => {
      await secrets.send(new CreateSecretCommand({ Name: "leaving", SecretString: first }));
      await secrets.send(new DeleteSecretCommand({ SecretId: "leaving", RecoveryWindowInDays: 7 }));
      const found = await catchSourceError(readCurrentVersion(createSecret("leaving"), environment()));
      expect(found).toMatchObject({
        code: "not-found",
        message: expect.stringContaining("is scheduled for deletion. Restore it"),
      });
    });

    test("is not available for an unknown secret", async () => {
      const found = await catchSourceError(readCurrentVersion(createSecret("nobodys"), environment()));
      expect(found).toMatchObject({ code: "not-found" });
    });
  });

  test.each([
    [
      "no credentials",
      ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
      "refused",
      "AWS credentials are missing, expired",
    ],
    ["no region", ["AWS_REGION"], "not-set", "has no region. Add `region: eu-central-1` to the source"],
  ])("fails with %s", async (_, names, code, message) => {
    for (const name of names) delete process.env[name];
    expect(await catchSourceError(reveal(createSecret("plain")))).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    expect(front.requests).toEqual([]);
  });

  describe.each([
    ["a secret's value", createSecret("plain"), resolve, "secretsmanager:GetSecretValue"],
    ["a secret's version", createSecret("plain"), readCurrentVersion, "secretsmanager:DescribeSecret"],
  ])("reading %s", (_, source, ask, action) => {
    const type = (name: string) => ({
      status: 400,
      body: { __type: name, message: "kanarie-49", Message: "kanarie-49" },
    });

    test.each<[string, Fault, string, string, number]>([
      ["a missing permission", type("AccessDeniedException"), "refused", `lack ${action}`, 1],
      [
        "an expired token",
        type("ExpiredTokenException"),
        "refused",
        "are missing, expired or not accepted",
        1,
      ],
      ["a missing decryption key", type("DecryptionFailure"), "refused", `lack ${action}`, 1],
      [
        "a secret scheduled for deletion",
        type("InvalidRequestException"),
        "failed",
        "scheduled for deletion",
        1,
      ],
      ["an unknown error", type("kanarie-49"), "failed", "with status 400", 1],
      ["too many requests", type("ThrottlingException"), "unreachable", "limiting requests", 4],
      ["a redirect", { status: 302, headers: { location: "http://x" } }, "malformed", "not from AWS", 1],
    ])("fails on %s", async (_name, fault, code, message, requests) => {
      front.fault = fault;
      expect(await catchSourceError(ask(source, environment()))).toMatchObject({
        code,
        message: expect.stringContaining(message),
      });
      // The source runner retries, but the SDK does not.
      expect(front.requests).toHaveLength(requests);
    });

    test("retries with the server's time if the local clock is wrong", async () => {
      const headers = { date: "Mon, 01 Jan 2024 00:00:00 GMT" };
      front.fault = { ...type("InvalidSignatureException"), headers, times: 1 };
      await ask(source, environment());
      expect(front.requests).toHaveLength(2);
    });

    test("fails if AWS does not respond", async () => {
      const endpoint = process.env.AWS_ENDPOINT_URL;
      process.env.AWS_ENDPOINT_URL = "http://127.0.0.1:1";
      expect(await catchSourceError(ask(source, environment()))).toMatchObject({
        code: "unreachable",
        message: expect.stringContaining("no response from AWS (127.0.0.1:1 refused the connection)"),
      });
      process.env.AWS_ENDPOINT_URL = endpoint;
    });
  });

  test("sends requests through the proxy from the environment variables", async () => {
    await using proxy = await startProxy();
    const run = new SourceRun();
    const url = front.url.replace("127.0.0.1", "aws.test");
    process.env.AWS_ENDPOINT_URL = url;
    const value = await resolve(createSecret("plain"), { ...environment({ HTTP_PROXY: proxy.url }), run });
    process.env.AWS_ENDPOINT_URL = front.url;
    await run.close();
    expect(value.reveal()).toBe(first);
    expect(proxy.received).toEqual([`POST ${url}/`]);
  });
});
