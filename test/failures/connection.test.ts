/**
 * Checks that nothing is written with a missing or wrong API key or an unreachable service, and that the message
 * names the setting.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { type Project, startProject } from "../cli/hosting.js";
import { selfSigned } from "../emulator/self-signed.js";
import { serve } from "../listening.js";
import { apply, applySuccessfully, listContextNames, runUnwrapped, runUnwrappedWith } from "./commands.js";

const contexts = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";
const formatManifest = (source: string) => `service: { api_key: ${source} }\n${contexts}`;

/** Expects an unchanged account and a successful apply with the correct setting. */
async function expectRecovery(project: Project): Promise<void> {
  expect(listContextNames(project)).toEqual([]);
  await project.write("avatarops.yaml", contexts);
  await applySuccessfully(project);
  expect(listContextNames(project)).toEqual(["Desk"]);
  await project.expectNothingToDo();
}

describe("unavailable API key", () => {
  // For each source's message, see test/secrets/sources.txt.
  it("is reported with its source", async () => {
    const project = await startProject({ files: { "avatarops.yaml": contexts } });
    const environment = { AVATAROPS_API_KEY: undefined };
    expect(await runUnwrappedWith(project, { environment }, "apply", "--auto-approve")).toEqual({
      ...{ exit: 1, stdout: "" },
      stderr:
        "error[not-set] The environment variable AVATAROPS_API_KEY is not set. Set it as a secret in CI. On your own machine, set it with `export`, or in a file given with --dotenv.\n",
    });
    expect((await runUnwrappedWith(project, { environment }, "plan")).stdout).toContain(
      "not compared with the account",
    );
    expect(project.emulator.requests).toEqual([]);
    await expectRecovery(project);
  });

  it("is rejected and not printed if it contains a line break", async () => {
    const project = await startProject({ files: { "avatarops.yaml": contexts } });
    const ran = await runUnwrappedWith(
      project,
      { environment: { AVATAROPS_API_KEY: "key-one\nkey-two" } },
      "plan",
    );
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    expect(ran.stderr).toContain(
      "the API key contains a space, a line break or another character that keys never have. Check its source.",
    );
    expect(ran.stderr).toContain("The key came from environment variable AVATAROPS_API_KEY.");
    expect(ran.stderr).not.toContain("key-one");
    expect(project.emulator.requests).toEqual([]);
    await expectRecovery(project);
  });
});

describe("API key that the service rejects", () => {
  it.each([
    ["", "environment variable AVATAROPS_API_KEY", { AVATAROPS_API_KEY: "wrong-key" }],
    ["!exec [printf, wrong-key-1]", "command printf …", { PATH: process.env.PATH }],
  ])("is reported with its source: %s %s", async (source, from, environment) => {
    const project = await startProject({
      files: { "avatarops.yaml": source ? formatManifest(source) : contexts },
    });
    const ran = await runUnwrappedWith(project, { environment }, "apply", "--auto-approve");
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    expect(ran.stderr).toMatch(
      /^error\[unauthorized\] GET \/v1\/contexts\S*: the service does not accept the API key \(HTTP 401/,
    );
    expect(ran.stderr).toContain("Check that api_key is correct and belongs to this base_url.");
    expect(ran.stderr.trimEnd()).toMatch(new RegExp(`The key came from ${from}\\.$`));
    expect(ran.stderr).not.toContain("wrong-key");
    await expectRecovery(project);
  });

  it("is reported after a 403 with advice to use a key with more permissions", async () => {
    const project = await startProject({ files: { "avatarops.yaml": contexts } });
    project.emulator.addFault("GET /v1/contexts 403");
    const ran = await runUnwrapped(project, "plan");
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain("error[forbidden] ");
    expect(ran.stderr).toContain("Ask the account's owner for a key that allows this request.");
    expect(ran.stderr).toContain("The key came from environment variable AVATAROPS_API_KEY.");
    await expectRecovery(project);
  });
});

describe("unusable service", () => {
  async function planAt(address: string) {
    const project = await startProject({ files: { "avatarops.yaml": contexts } });
    const ran = await runUnwrappedWith(
      project,
      { environment: { AVATAROPS_BASE_URL: address } },
      "apply",
      "--auto-approve",
    );
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    await expectRecovery(project);
    return ran.stderr;
  }

  it.each([
    [
      "http://127.0.0.1:1",
      "without a listener",
      /^error\[unreachable\] GET \/v1\/contexts.*: cannot connect to http:\/\/127\.0\.0\.1:1 \(127\.0\.0\.1:1 refused the connection\)\. Check base_url, the network and the proxy\.\n$/,
    ],
    [
      "https://host.invalid",
      "with an unknown host name",
      /^error\[dns\] .*cannot connect to https:\/\/host\.invalid \(the host name host\.invalid cannot be resolved[^)]*\)\. Check base_url and the network\.\n$/,
    ],
    // For each kind of invalid URL, see test/api/address.test.ts.
    [
      "https://me:password@example.com",
      "with credentials",
      /^error\[base-url\] The base URL from environment variable AVATAROPS_BASE_URL contains a user name or password\. Remove them, because api_key identifies you\.\n$/,
    ],
  ])("is reported for the URL %s %s", async (address, _, says) => {
    expect(await planAt(address)).toMatch(says);
  });

  it("is reported if it redirects, and the redirect is not followed", async () => {
    const { url, close } = await serve((_request, response) => {
      response.writeHead(301, { location: "https://other.example.com/v1/contexts" }).end();
    });
    onTestFinished(close);
    expect(await planAt(url)).toContain(
      "Redirects are not followed, to keep the key safe. Set base_url to the final URL (the redirect points to https://other.example.com/v1/contexts).",
    );
  });

  it("is reported if its certificate is untrusted", async () => {
    const secure = await startProject({
      files: { "avatarops.yaml": contexts },
      emulator: { tls: selfSigned },
    });
    const ran = await apply(secure);
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    expect(ran.stderr).toMatch(
      /^error\[tls\] .*no secure connection to https:\/\/127\.0\.0\.1:\d+ \(.*\)\. Check base_url\. Set NODE_EXTRA_CA_CERTS to a file with the server's CA certificate/,
    );
    expect(secure.emulator.requests).toEqual([]);
  });

  it("is reported with the URL's manifest line if the URL is invalid", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": `service: { base_url: nonsense }\n${contexts}` },
    });
    const ran = await runUnwrapped(project, "plan");
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    expect(ran.stderr).toContain("service.base_url");
    expect(ran.stderr).toContain("avatarops.yaml:1:");
    await expectRecovery(project);
  });
});
