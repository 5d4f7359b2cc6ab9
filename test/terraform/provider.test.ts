// @module-tag terraform
import { describe, expect, onTestFinished, test } from "vitest";
import { generateDataset, startEmulator } from "../../src/emulator/index.js";
import { selfSigned } from "../emulator/self-signed.js";
import { serve } from "../listening.js";
import { startAcceptance } from "./acceptance.js";

const context = '\nresource "avatarops_context" "one" {\n  name   = "One"\n  prompt = "Hello"\n}\n';

describe("provider block", () => {
  test("takes the base URL and the API key from its arguments or environment variables", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: context,
      providerEnvironment: { AVATAROPS_BASE_URL: "", AVATAROPS_API_KEY: "" },
    });
    const output = await terraform.fail("plan");
    expect(output).toContain("AVATAROPS_BASE_URL");
    expect(output).toContain("AVATAROPS_API_KEY");
    await terraform.write({
      "provider.tf": `provider "avatarops" {\n  base_url = "${emulator.url}"\n  api_key  = "test-key"\n}\n`,
    });
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(1);
  });

  test("keeps several accounts separate in one process", async () => {
    const main = `
provider "avatarops" {
  api_key = "key-a"
}

provider "avatarops" {
  alias   = "b"
  api_key = "key-b"
}
${context}
resource "avatarops_context" "two" {
  provider = avatarops.b
  name     = "Two"
  prompt   = "Hello"
}
`;
    const { emulator, ...terraform } = await startAcceptance({ main, emulator: { apiKey: "key-a" } });
    // Each block uses its own key at the same base URL.
    expect(await terraform.fail("apply", "-auto-approve")).toContain("Invalid API key");
    expect(new Set(emulator.requests.map(({ status }) => status))).toEqual(new Set([200, 401]));
    const other = await startEmulator({ apiKey: "key-b" });
    onTestFinished(() => other.close());
    await terraform.write({
      "main.tf": main.replace(/(alias .*\n)/, `$1  base_url = "${other.url}"\n`),
    });
    await terraform.settle();
    expect(emulator.world.contexts.map(({ name }) => name)).toEqual(["One"]);
    expect(other.world.contexts.map(({ name }) => name)).toEqual(["Two"]);
  });

  test("allows a plan if its key is known only after apply", async () => {
    const main = `
resource "terraform_data" "key" {
  input = "test-key"
}

provider "avatarops" {
  api_key = terraform_data.key.output
}
${context}`;
    const { emulator, ...terraform } = await startAcceptance({ main });
    expect(await terraform.succeed("plan")).toContain("2 to add");
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(1);
    await terraform.succeed("plan", "-replace=terraform_data.key");
  });

  test("reports a wrong key and an invalid base URL", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: `provider "avatarops" {\n  api_key = "wrong-key-canary"\n}\n${context}`,
    });
    const refused = await terraform.fail("plan");
    expect(refused).toMatch(/key/i);
    expect(refused).not.toContain("wrong-key-canary");
    await terraform.write({ "main.tf": `provider "avatarops" {\n  base_url = "ftp://x"\n}\n${context}` });
    expect(await terraform.fail("plan")).toContain("on main.tf line 2");
    expect(emulator.world.contexts).toEqual([]);
  });

  test("names an error's cause in the summary, and warns about a missing certificate file", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: context,
      providerEnvironment: { NODE_EXTRA_CA_CERTS: "/missing/authority.pem" },
    });
    const warned = await terraform.succeed("plan");
    expect(warned).toContain("Warning: NODE_EXTRA_CA_CERTS is ignored");
    expect(warned).toContain("/missing/authority.pem");
    for (const [fault, headline] of [
      ["401", "The service rejected the API key"],
      ["403", "The API key lacks a permission"],
      ["429 retry-after=600", "The service's rate limit was exceeded"],
      ["500", "The service failed"],
      ["malformed body=<html>", "The response is not JSON"],
      ["cut", "The response is incomplete"],
      ["malformed body={}", "The response does not have the documented shape"],
    ]) {
      const [action, body = ""] = (fault ?? "").split(/ (?=body=)/);
      emulator.addFault(`GET /v1/contexts ${action} times=always ${body}`.trim());
      expect(await terraform.fail("plan")).toContain(`Error: ${headline}`);
      emulator.clearFaults();
    }
    const configure = (url: string) =>
      terraform.write({ "provider.tf": `provider "avatarops" {\n  base_url = "${url}"\n}\n` });
    const https = emulator.url.replace("http:", "https:");
    await configure(https);
    const output = await terraform.fail("plan");
    expect(output).toContain("Error: The TLS connection to the service failed");
    expect(output).toContain(`${https} does not use TLS. Check whether base_url needs http://`);
    const secure = await serve((_, response) => response.end(), selfSigned);
    onTestFinished(() => secure.close());
    const http = secure.url.replace("https:", "http:");
    await configure(http);
    const closed = await terraform.fail("plan");
    expect(closed).toContain("Error: The server sent no HTTP response");
    expect(closed).toContain(
      `${http} sent no HTTP response (the server closed the connection). Check whether`,
    );
  });

  test("mentions in a TLS error that the NODE_EXTRA_CA_CERTS file contains no certificate", async () => {
    const secure = await serve((_, response) => response.end(), selfSigned);
    onTestFinished(() => secure.close());
    const { folder, ...terraform } = await startAcceptance({
      main: `provider "avatarops" {\n  base_url = "${secure.url}"\n}\n${context}`,
      providerEnvironment: { NODE_EXTRA_CA_CERTS: "/dev/null" },
    });
    const output = await terraform.fail("plan");
    expect(output).toContain("Error: The TLS connection to the service failed");
    expect(output).toContain("The file /dev/null contains no readable certificate.");
  });

  test("warns if certificate verification is disabled", async () => {
    const { folder, ...terraform } = await startAcceptance({
      main: context,
      providerEnvironment: { NODE_TLS_REJECT_UNAUTHORIZED: "0" },
    });
    expect(await terraform.succeed("plan")).toContain("Warning: TLS certificates are not checked");
  });

  test("gets no rate limit errors if requests_per_second is half of the service's limit", async () => {
    const twelve = context
      .replace('"One"', '"Desk ${count.index}"')
      .replace("prompt", "count  = 12\n  prompt");
    const { emulator, ...terraform } = await startAcceptance({
      main: `provider "avatarops" {\n  requests_per_second = 4\n}\n${twelve}`,
      emulator: { behavior: { rateLimitPerSecond: 8 } },
    });
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(12);
    expect(emulator.requests.filter(({ status }) => status === 429)).toEqual([]);
  });

  test("adapts to the service's rate limit with at most one rejected request per create", async () => {
    const twelve = context
      .replace('"One"', '"Desk ${count.index}"')
      .replace("prompt", "count  = 12\n  prompt");
    const { emulator, ...terraform } = await startAcceptance({
      main: twelve,
      emulator: { behavior: { rateLimitPerSecond: 3 } },
    });
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(12);
    const creates = emulator.requests.filter(({ method }) => method === "POST");
    expect(creates.length).toBeLessThanOrEqual(2 * 12);
  });

  test("rejects invalid URLs and success codes in validate", async () => {
    const { requests, ...terraform } = await startAcceptance({
      main: `provider "avatarops" {
  base_url         = "ftp://x"
  success_codes    = [1.5]
  former_base_urls = ["https://a.example.com", "b"]
}
${context}`,
    });
    const output = await terraform.fail("validate");
    expect(output).toContain("Error: Invalid base_url");
    expect(output).toMatch(/on main.tf line 2.*does not start with https/s);
    expect(output).toContain("Error: success_codes must be a list of one or more integers");
    expect(output).toMatch(/Error: Invalid former_base_urls\n.*on main.tf line 4/s);
    expect(requests()).toEqual([]);
  });

  test("rejects an empty base URL in validate", async () => {
    const { requests, ...terraform } = await startAcceptance({
      main: `provider "avatarops" {\n  base_url = ""\n}\n${context}`,
    });
    const output = await terraform.fail("validate");
    expect(output).toMatch(
      /Error: base_url is empty\n.*on main.tf line 2.*or remove it to use the environment/s,
    );
    expect(requests()).toEqual([]);
  });

  test("rejects zero and negative limits", async () => {
    const { requests, ...terraform } = await startAcceptance({
      main: `provider "avatarops" {\n  concurrency = 0\n  requests_per_second = -1\n}\n${context}`,
    });
    const output = await terraform.fail("validate");
    expect(output).toContain("on main.tf line 2");
    expect(output).toContain("on main.tf line 3");
    expect(requests()).toEqual([]);
  });
});

describe("terraform test", () => {
  test("creates and plans a context with the provider", async () => {
    const { ...terraform } = await startAcceptance({
      main: context,
      files: {
        "one.tftest.hcl": `
run "create" {
  assert {
    condition     = avatarops_context.one.prompt == "Hello"
    error_message = "The prompt is not what was declared."
  }
}

run "again" {
  command = plan
  assert {
    condition     = avatarops_context.one.id != ""
    error_message = "There is no id."
  }
}
`,
      },
      world: generateDataset({ contexts: 2 }),
    });
    await terraform.succeed("init");
    expect(await terraform.succeed("test")).toContain("2 passed, 0 failed");
  });
});
