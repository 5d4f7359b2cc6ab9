/** Checks that invalid proxy URLs are reported with the variable's name and never with its value. */
import { expect, it } from "vitest";
import { startProject } from "../cli/hosting.js";
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
  const { said } = await startRun(
    emulator,
    {},
    {
      environment: { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key", ...environment },
    },
  );
  expect(said).toMatchObject([{ severity: "error", summary: "Invalid proxy" }]);
  expect(said[0]?.detail).toContain(`variable ${name} is not`);
  expect(JSON.stringify(said)).not.toContain(canary);
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
