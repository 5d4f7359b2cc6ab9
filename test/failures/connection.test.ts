/** The key is missing or wrong, or the service is not to be reached: nothing is written, and the message says which setting to look at. */
import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Project, startProject } from "../cli/hosting.js";
import { selfSigned } from "../emulator/self-signed.js";
import { applied, apply, contextNames, tell, tellWith } from "./telling.js";

const contexts = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";
const keyFrom = (source: string) => `service: { api_key: ${source} }\n${contexts}`;

/** Whatever the reason was: nothing is in the account, and with the setting put right one apply does it all. */
async function expectRecovery(project: Project): Promise<void> {
  expect(contextNames(project)).toEqual([]);
  await project.write("avatarops.yaml", contexts);
  await applied(project);
  expect(contextNames(project)).toEqual(["Desk"]);
  await project.expectNothingToDo();
}

describe("an API key that is not to be had", () => {
  const cases = [
    {
      why: "its default variable is not set",
      manifest: contexts,
      environment: { AVATAROPS_API_KEY: undefined },
      says: "error[not-set] The environment variable AVATAROPS_API_KEY is not set. Set it, for example from the secrets of your CI.\n",
    },
    {
      why: "its default variable is empty",
      manifest: contexts,
      environment: { AVATAROPS_API_KEY: "" },
      says: "error[empty] The environment variable AVATAROPS_API_KEY is empty. Give it a value. CI systems pass an empty text for a secret that does not exist.\n",
    },
    {
      why: "its own variable is not set",
      manifest: keyFrom("!env OTHER_KEY"),
      environment: {},
      says: "error[not-set] The environment variable OTHER_KEY is not set. Set it, for example from the secrets of your CI.\n",
    },
    {
      why: "its file is empty",
      manifest: keyFrom("!file key.txt"),
      environment: {},
      says: "error[empty] The file key.txt is empty. Give it a value.\n",
    },
    {
      why: "its command fails",
      manifest: keyFrom('!exec ["false"]'),
      environment: { PATH: process.env.PATH },
      says: "error[failed] The command false ended with exit code 1. Run it by hand in the project folder to see why.\n",
    },
    {
      why: "its command does not exist",
      manifest: keyFrom("!exec [no-such-vault, read]"),
      environment: {},
      says: "error[not-found] The command no-such-vault read was not found. Install the program, or correct its name or your PATH.\n",
    },
  ];
  for (const { why, manifest, environment, says } of cases) {
    it(`is reported with its source when ${why}`, async () => {
      const project = await startProject({ files: { "avatarops.yaml": manifest, "key.txt": "\n" } });
      for (const command of [["plan"], ["apply", "--auto-approve"]]) {
        expect(await tellWith(project, { environment }, ...command)).toEqual({
          exit: 1,
          stdout: "",
          stderr: says,
        });
      }
      expect(project.emulator.requests).toEqual([]);
      await expectRecovery(project);
    });
  }

  it("may not hold a line break, and is not shown", async () => {
    const project = await startProject({ files: { "avatarops.yaml": contexts } });
    const ran = await tellWith(project, { environment: { AVATAROPS_API_KEY: "key-one\nkey-two" } }, "plan");
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    expect(ran.stderr).toContain(
      "the API key contains a space, a line break or another character that no key has. Check its source.",
    );
    expect(ran.stderr).toContain("The key came from environment variable AVATAROPS_API_KEY.");
    expect(ran.stderr).not.toContain("key-one");
    expect(project.emulator.requests).toEqual([]);
    await expectRecovery(project);
  });
});

describe("an API key that the service refuses", () => {
  const sources = [
    {
      source: "",
      from: "environment variable AVATAROPS_API_KEY",
      environment: { AVATAROPS_API_KEY: "wrong-key" },
    },
    {
      source: "!env OTHER_KEY",
      from: "environment variable OTHER_KEY",
      environment: { OTHER_KEY: "wrong-key" },
    },
    { source: "!file key.txt", from: "file key.txt", environment: {} },
    {
      source: "!exec [printf, wrong-key-1]",
      from: "command printf …",
      environment: { PATH: process.env.PATH },
    },
  ];
  for (const { source, from, environment } of sources) {
    it(`is reported with its source: ${from}`, async () => {
      const project = await startProject({
        files: { "avatarops.yaml": source ? keyFrom(source) : contexts, "key.txt": "wrong-key\n" },
      });
      const ran = await tellWith(project, { environment }, "apply", "--auto-approve");
      expect(ran).toMatchObject({ exit: 1, stdout: "" });
      expect(ran.stderr).toMatch(
        /^error\[unauthorized\] GET \/v1\/contexts\S*: the service does not accept the API key \(HTTP 401/,
      );
      expect(ran.stderr).toContain("Check api_key, and that it belongs to this base_url.");
      expect(ran.stderr.trimEnd()).toMatch(new RegExp(`The key came from ${from}\\.$`));
      expect(ran.stderr).not.toContain("wrong-key");
      await expectRecovery(project);
    });
  }

  it("says who can help when the key is good and not allowed to do it", async () => {
    const project = await startProject({ files: { "avatarops.yaml": contexts } });
    project.emulator.addFault("GET /v1/contexts 403");
    const ran = await tell(project, "plan");
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain("error[forbidden] ");
    expect(ran.stderr).toContain("Ask the account's owner for a key with this permission.");
    expect(ran.stderr).toContain("The key came from environment variable AVATAROPS_API_KEY.");
    await expectRecovery(project);
  });

  it("ends a write the key may not do, and says so for that object alone", async () => {
    const project = await startProject({ files: { "avatarops.yaml": contexts } });
    project.emulator.addFault("POST /v1/contexts 403");
    const ran = await apply(project);
    expect(ran.exit).toBe(1);
    expect(ran.stdout).toContain("Ask the account's owner for a key with this permission.");
    await expectRecovery(project);
  });
});

describe("a service that is not to be reached", () => {
  async function planAt(address: string) {
    const project = await startProject({ files: { "avatarops.yaml": contexts } });
    const ran = await tellWith(
      project,
      { environment: { AVATAROPS_BASE_URL: address } },
      "apply",
      "--auto-approve",
    );
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    await expectRecovery(project);
    return ran.stderr;
  }

  it("names the address where nothing listens", async () => {
    const address = `http://127.0.0.1:${await closedPort()}`;
    const said = await planAt(address);
    expect(said).toContain(`error[unreachable] GET /v1/contexts`);
    expect(said).toContain(`cannot connect to ${address} (`);
    expect(said).toContain("Check base_url, the network and the proxy.");
  });

  it("says that the host name cannot be resolved", async () => {
    const said = await planAt("https://host.invalid");
    expect(said).toMatch(
      /^error\[dns\] .*the host name of https:\/\/host\.invalid cannot be resolved\. Check base_url and the network\./,
    );
  });

  it("says that the certificate is not trusted", async () => {
    const secure = await startProject({
      files: { "avatarops.yaml": contexts },
      emulator: { tls: selfSigned },
    });
    const ran = await apply(secure);
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    expect(ran.stderr).toMatch(
      /^error\[tls\] .*no secure connection to https:\/\/127\.0\.0\.1:\d+ \(.*\)\. Check base_url\. Name a file with the certificate of the authority .* in NODE_EXTRA_CA_CERTS;/,
    );
    expect(secure.emulator.requests).toEqual([]);
  });

  it("does not follow a redirect, which would take the key elsewhere", async () => {
    const elsewhere = createServer((_request, response) => {
      response.writeHead(301, { location: "https://other.example.com/v1/contexts" }).end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void elsewhere.close());
    const { port } = elsewhere.address() as AddressInfo;
    const said = await planAt(`http://127.0.0.1:${port}`);
    expect(said).toContain(
      "Redirects are not followed, to keep the key safe: set base_url to the final address (it points to https://other.example.com/v1/contexts).",
    );
  });

  const nonsense = [
    ["not an address", "is not an address: write it like https://api.example.com."],
    ["ftp://files.example.com", "does not start with https://: write it like https://api.example.com."],
    [
      "https://me:password@example.com",
      "contains a user name or password: remove them: the service identifies you by api_key.",
    ],
    ["https://example.com/?key=1", "contains a query or a fragment: remove everything from the ? or # on."],
  ] as const;
  for (const [address, problem] of nonsense) {
    it(`refuses the address ${address}`, async () => {
      expect(await planAt(address)).toBe(
        `error[base-url] The address of the service, from environment variable AVATAROPS_BASE_URL, ${problem}\n`,
      );
    });
  }

  it("points at an address of the manifest that is none", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": `service: { base_url: nonsense }\n${contexts}` },
    });
    const ran = await tell(project, "plan");
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    expect(ran.stderr).toContain("service.base_url");
    expect(ran.stderr).toContain("avatarops.yaml:1:");
    await expectRecovery(project);
  });
});

/** A port that was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createSocketServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
