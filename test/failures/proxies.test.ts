/** Checks that invalid and unreachable proxies are reported with the variable's name and never with a password. */
import { expect, it, onTestFinished } from "vitest";
import { startProject } from "../cli/hosting.js";
import { serve } from "../listening.js";
import { startAccount, startRun } from "../terraform/unit/driving.js";
import { runUnwrapped, runUnwrappedWith } from "./commands.js";

const canary = "kanarie-47";
const desk = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";

/** Invalid values for each variable. */
const wrong = [
  ["HTTP_PROXY", `http://user:${canary}@`],
  ["HTTPS_PROXY", `http://user:${canary}%zz@proxy.example.com`],
  ["http_proxy", `http://user:${canary}@proxy.example.com:port`],
  ["https_proxy", `user:${canary}`],
  ["HTTP_PROXY", `ftp://${canary}.example.com`],
  ["http_proxy", "http://"],
  ["https_proxy", " "],
] as const;

it.each(wrong)("rejects the proxy variable %s=%j before any request", async (name, value) => {
  const project = await startProject({ files: { "avatarops.yaml": desk } });
  const environment = { [name]: value };
  const ran = await runUnwrappedWith(project, { environment }, "plan");
  expect(ran).toMatchObject({ exit: 1, stdout: "" });
  expect(ran.stderr).toBe(
    `error[proxy] The environment variable ${name} is not a valid proxy URL. Write it like http://proxy.example.com:3128, with a percent-encoded user name and password, or unset it.\n`,
  );
  expect(project.emulator.requests).toEqual([]);

  const emulator = await startAccount();
  const { diagnostics } = await startRun(
    emulator,
    {},
    {
      environment: { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key", ...environment },
    },
  );
  expect(diagnostics).toMatchObject([{ severity: "error", summary: "Invalid proxy" }]);
  expect(diagnostics[0]?.detail).toContain(`variable ${name} is not`);
  expect(JSON.stringify(diagnostics)).not.toContain(canary);
});

it("rejects an invalid proxy variable if the state is on a server", async () => {
  const yaml = `state: https://state.example.com/production\n${desk}`;
  const project = await startProject({ files: { "avatarops.yaml": yaml } });
  const environment = { https_proxy: `http://user:${canary}@proxy.example.com:port` };
  const { exit, stderr } = await runUnwrappedWith(project, { environment }, "state", "list");
  expect([exit, stderr]).toEqual([
    1,
    "error[refused] Cannot use the state https://state.example.com/production. The environment variable https_proxy is not a valid proxy URL. Write it like http://proxy.example.com:3128, with a percent-encoded user name and password, or unset it.\n",
  ]);
});

it("ignores an empty proxy variable", async () => {
  const project = await startProject({ files: { "avatarops.yaml": desk } });
  expect(
    await runUnwrappedWith(project, { environment: { HTTP_PROXY: "", https_proxy: "" } }, "plan"),
  ).toMatchObject({
    exit: 0,
  });
  expect((await runUnwrapped(project, "plan")).exit).toBe(0);
});

it.each(["http", "https"])("names the variable of an unreachable proxy for %s", async (scheme) => {
  const project = await startProject({ files: { "avatarops.yaml": desk } });
  const url = `${scheme}://service.invalid`;
  const run = (proxy: string) => {
    const environment = { [`${scheme}_proxy`]: proxy, AVATAROPS_BASE_URL: url };
    return runUnwrappedWith(project, { environment }, "plan");
  };
  const start = `cannot connect to ${url} (no connection to the proxy in ${scheme.toUpperCase()}_PROXY: `;
  const closed = await run(`http://user:${canary}@127.0.0.1:1`);
  expect(closed.stderr).toContain(
    `${start}127.0.0.1:1 refused the connection). Check base_url, the network and the proxy.`,
  );
  expect(closed.stderr).not.toContain(canary);
  const unknown = await run("proxy.invalid:3128");
  expect(unknown.stderr).toContain(`${start}the host name proxy.invalid cannot be resolved`);
  expect(unknown.stderr).toContain("). Check the proxy and the network.");
});

it("reports a proxy without TLS whose URL starts with https://", async () => {
  const plain = await serve((_request, response) => response.end());
  onTestFinished(() => plain.close());
  const project = await startProject({ files: { "avatarops.yaml": desk } });
  const https_proxy = plain.url.replace("http:", "https:");
  const environment = { https_proxy, AVATAROPS_BASE_URL: "https://service.invalid" };
  const { stderr } = await runUnwrappedWith(project, { environment }, "plan");
  expect(stderr).toContain("HTTPS_PROXY: it does not use TLS, so its URL must start with http://");
});
