// @module-tag ci
/** Tests everything that users install, in typical networks. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findPassages } from "../../scripts/docs/passages.js";
import { startProxy } from "../http/proxy.js";
import { execute } from "../installing.js";
import { testAcrossNetworks } from "./across-networks.js";
import { type Artefact, type Command, openWorkshop } from "./artefacts.js";
import { testBehindProxies } from "./behind-proxies.js";
import { startGateway } from "./gateway.js";
import { testS3BehindProxies } from "./s3-behind-proxies.js";

const workshop = await openWorkshop();
afterAll(workshop.close);

/** Runs all tests with the artefact that `make` creates before the first test. */
function testEverywhere(make: () => Promise<Artefact>, { isExecutable = false } = {}): void {
  let made: Artefact;
  beforeAll(async () => {
    made = await make();
  });
  const certificates = () => workshop.certificates;
  testBehindProxies(() => made, certificates);
  testAcrossNetworks(() => made, certificates);
  if (isExecutable) testSystemCertificates(() => made);
}

/** Tests that an artefact trusts the system's CAs, unlike Node.js itself. */
function testSystemCertificates(use: () => Artefact): void {
  test("trusts a service certificate issued by one of the system's certificate authorities", async () => {
    await using gateway = await startGateway({ secure: true });
    const environment = { SSL_CERT_FILE: workshop.certificates };
    expect(await use().plan({ url: gateway.local, environment })).toMatchObject({ succeeded: true });
    expect(await use().plan({ url: gateway.local })).toMatchObject({ succeeded: false });
  });
}

/** Tests the `emulate` command in a shell that sets a proxy. */
function testEmulating(make: () => Promise<Command>): void {
  test("connects directly to an emulator on the same machine even if a proxy is set", async () => {
    const [program, ...first] = await make();
    const environment = { HTTP_PROXY: "http://127.0.0.1:1", HTTPS_PROXY: "http://127.0.0.1:1" };
    const child = spawn(program, [...first, "emulate", "--port", "0", "--quiet"], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const [, url = ""] = /AVATAROPS_BASE_URL=(\S+)/.exec(line) ?? [];
    const outcome = await workshop.command([program, ...first]).plan({ url, environment });
    child.kill();
    expect(outcome).toMatchObject({ succeeded: true });
  });
}

let installation: Promise<string> | undefined;
const ensureInstalled = () => {
  installation ??= workshop.installPackage();
  return installation;
};
let making: Promise<string> | undefined;
const ensureExecutable = () => {
  making ??= workshop.makeExecutable();
  return making;
};

describe("built command", () => {
  const make = () => workshop.built();
  testEverywhere(async () => workshop.command(make()));
  testEmulating(async () => make());
  testS3BehindProxies(
    () => workshop.command(make()),
    () => workshop.certificates,
  );
});

describe("npm package's command", () => {
  const make = async () => workshop.installed(await ensureInstalled());
  testEverywhere(async () => workshop.command(await make()));
  testEmulating(make);
});

describe("npm package's library", () => {
  test("reaches a service through a proxy", async () => {
    await using gateway = await startGateway();
    await using proxy = await startProxy();
    const cwd = path.join(await ensureInstalled(), "../..");
    const [, embedding = ""] = findPassages("docs/library.md", "ts");
    await writeFile(path.join(cwd, "embed.mjs"), embedding);
    await writeFile(path.join(cwd, "avatarops.yaml"), "contexts: { desk: { name: Desk, prompt: Hi. } }\n");
    const service = { AVATAROPS_BASE_URL: gateway.named, AVATAROPS_API_KEY: "test-key" };
    const env = { PATH: process.env.PATH, HTTP_PROXY: proxy.url, ...service };
    const { stdout } = await execute(process.execPath, ["embed.mjs"], { cwd, env });
    expect(JSON.parse(stdout).results).toMatchObject([{ address: "context.desk", status: "applied" }]);
    expect(proxy.received).toContain(`POST ${gateway.named}/v1/contexts`);
  });
});

describe("executable command", { tags: "executable" }, () => {
  const make = async (): Promise<Command> => [await ensureExecutable()];
  testEverywhere(async () => workshop.command(await make()), { isExecutable: true });
  testEmulating(make);
});

describe("npm package's provider", { tags: "terraform" }, () => {
  testEverywhere(async () => workshop.provider(`${await ensureInstalled()}/dist/terraform/package`));
});

describe("executable provider", { tags: ["terraform", "executable"] }, () => {
  testEverywhere(async () => workshop.provider(await workshop.asProvider(await ensureExecutable())), {
    isExecutable: true,
  });
});
