// @module-tag ci
/** What an untrusted change is compared with: its base, and, without an API key, what was last applied. */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder, saying } from "../cli/hosting.js";
import { base, type Fork, startFork } from "./fork.js";
import { shown } from "./thief.js";

const manifest = base["avatarops.yaml"];

describe("the base", () => {
  test("a fork cannot choose its base: an id that CI names comes before any name", async () => {
    const fork = await startFork();
    const sha = fork.git("rev-parse", "main").trim();
    await fork.propose({ "avatarops.yaml": manifest.replace("LLM_API_KEY", "GITHUB_TOKEN") });
    // In a job that checked out the fork, `origin` is the fork.
    fork.git("update-ref", "refs/remotes/origin/main", "HEAD");
    const event = path.join(await newFolder(), "event.json");
    writeFileSync(event, JSON.stringify({ pull_request: { base: { sha } } }));
    const ofGitHub = { GITHUB_EVENT_PATH: event, GITHUB_BASE_REF: "main" };
    const ofGitLab = {
      ...{ CI_PROJECT_ID: "2", CI_MERGE_REQUEST_PROJECT_ID: "1", CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "2" },
      ...{ CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main", CI_MERGE_REQUEST_DIFF_BASE_SHA: sha },
    };
    for (const environment of [ofGitHub, ofGitLab]) {
      const planned = await fork.avataropsWith({ environment }, "plan", "--untrusted");
      expect(planned).toMatchObject({ exit: 1, stderr: saying("error[untrusted-variable]") });
    }
  });

  test("a fork cannot put another manifest beside or in the place of the base's", async () => {
    const code = `import { Context, Project } from "avatarops";
const project = new Project({ policies: { "forbidden-phrases": { phrases: ["free"] } } });
new Context(project, "desk", { name: "Desk", prompt: "You answer politely." });
export default project;
`;
    const fork = await startFork({ "avatarops.config.ts": code });
    const own = { "avatarops.yaml": "contexts: { desk: { name: Desk, prompt: All calls are free. } }\n" };
    await fork.propose(own);
    const two = { exit: 1, stdout: "", stderr: saying("error[other-manifest] avatarops.yaml") };
    expect(await fork.plan()).toMatchObject(two);
    await fork.propose({ "avatarops.config.ts": undefined });
    expect(await fork.plan()).toMatchObject(two);
    expect(await fork.avatarops("validate", "--untrusted", "--base", "main")).toMatchObject({ exit: 1 });
    await fork.propose({ "avatarops.yaml": undefined, "other/avatarops.yaml": own["avatarops.yaml"] });
    expect(await fork.plan("--file", "other/avatarops.yaml")).toMatchObject({
      ...{ exit: 1, stdout: "", stderr: saying("error[no-base-manifest]") },
    });
  });

  test("a fork is not planned where its base is unknown or missing", async () => {
    const fork = await startFork();
    const unknown = await fork.avatarops("plan", "--untrusted");
    expect(unknown).toMatchObject({ exit: 1, stderr: saying("error[no-base]") });
    const missing = await fork.avatarops(
      "plan",
      "--untrusted",
      "--base",
      "0123456789012345678901234567890123456789",
    );
    expect(missing).toMatchObject({ exit: 1, stderr: saying("git fetch origin") });
    const option = await fork.avatarops("plan", "--untrusted", "--base", "--upload-pack=touch x");
    expect(option).toMatchObject({ exit: 1, stderr: saying("error[no-base]") });
    expect(await fork.avatarops("plan", "--base", "main")).toMatchObject({ exit: 1 });
  });
});

describe("a submodule of a fork", () => {
  /** Makes a folder of the fork a submodule, checked out as CI does; its first commit has these files. */
  async function addSubmodule(fork: Fork, at: string, files: Readonly<Record<string, string>>) {
    const folder = await newFolder();
    const git = (...args: string[]) => fork.git("-C", folder, ...args);
    git("init", "--quiet", "--initial-branch", "main");
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
    git("add", "--all");
    git("commit", "--quiet", "--message", "first");
    fork.git("rm", "-r", "--quiet", "--cached", "--ignore-unmatch", at);
    rmSync(path.join(fork.folder, at), { recursive: true, force: true });
    fork.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", folder, at);
    fork.git("commit", "--quiet", "--message", "submodule");
  }

  test("a state in a submodule of a fork is not believed, nor one whose path is written otherwise", async () => {
    const state = "state: ./kept/../kept/state.json\n";
    const fork = await startFork({ ...base, "avatarops.yaml": state + manifest });
    const forged = await fork.read("kept/state.json");
    fork.git("switch", "--quiet", "main");
    await fork.propose({ kept: undefined });
    fork.git("switch", "--quiet", "--force-create", "proposal");
    const notFound = { exit: 0, stdout: expect.stringMatching(/adopt +context\.desk/) };
    // Where CI has put it, it counts.
    await fork.write("kept/state.json", forged);
    expect((await fork.plan()).stdout).not.toMatch(/adopt/);
    await fork.propose({ "kept/state.json": forged });
    expect(await fork.plan()).toMatchObject(notFound);
    await addSubmodule(fork, "kept", { "state.json": forged });
    expect(fork.has("kept/state.json")).toBe(true);
    expect(await fork.plan()).toMatchObject(notFound);
  });

  test("a submodule of a fork is not taken for the repository", async () => {
    const fork = await startFork();
    await addSubmodule(fork, "avatars", { "avatarops.yaml": manifest });
    const cwd = path.join(fork.folder, "avatars");
    const planned = await fork.avataropsWith({ cwd }, "plan", "--untrusted", "--base", "main");
    expect(planned).toMatchObject({ exit: 1, stdout: "", stderr: saying("error[submodule]") });
  });
});

describe("without an API key", () => {
  const keyless = { environment: { AVATAROPS_API_KEY: "" } };

  test("a fork's plan is the difference from what was last applied, and says so", async () => {
    const text = `You answer politely. ${"More words follow here. ".repeat(20)}\n`;
    const fork = await startFork({ ...base, "prompts/desk.md": text });
    await fork.propose({ "prompts/desk.md": text.replace("politely", "briefly") });
    fork.emulator.editContext("Desk", { prompt: "Edited elsewhere." });
    const requests = fork.emulator.requests.length;
    const run = (...more: string[]) =>
      fork.avataropsWith(keyless, "plan", "--untrusted", "--base", "main", ...more);
    const planned = await run("--detailed-exitcode");
    expect(planned).toMatchObject({ exit: 2, stdout: saying("not compared with the account") });
    expect(planned.stdout.replace(/\s+/g, " ")).toContain("there is no API key");
    // The state has a digest of the earlier text; the base has the text.
    expect(planned.stdout).toMatch(/politely[\s\S]*briefly|briefly[\s\S]*politely/);
    expect(JSON.parse((await run("--format", "json")).stdout)).toMatchObject({
      ...{ compared_with: "state", requests: 0 },
      changes: [{ address: "context.desk", action: "update", reason: "configured" }],
    });
    expect((await run("--format", "markdown")).stdout).toContain("not compared with the account: no API key");
    expect(fork.emulator.requests).toHaveLength(requests);
  });

  test("a plan that was not compared with the account is never applied", async () => {
    const fork = await startFork();
    await fork.propose({ "prompts/desk.md": "Be brief.\n" });
    const saved = await fork.avataropsWith(
      keyless,
      "plan",
      "--untrusted",
      "--base",
      "main",
      "--out",
      "plan.json",
    );
    expect(saved).toMatchObject({ exit: 0 });
    const applied = await fork.avatarops("apply", "plan.json");
    expect(applied).toMatchObject({ exit: 5, stderr: saying("was not compared with the account") });
    expect(fork.writes()).toEqual([]);
  });

  test("a fork's plan says so if the state cannot be read either", async () => {
    const fork = await startFork();
    await fork.propose({ "prompts/desk.md": "Be brief.\n" });
    fork.git("switch", "--quiet", "main");
    await fork.propose({ ".avatarops": undefined });
    fork.git("switch", "--quiet", "--force-create", "proposal");
    const planned = await fork.avataropsWith(keyless, "plan", "--untrusted", "--base", "main");
    expect(planned.stdout.replace(/\s+/g, " ")).toContain("there is no state, so all objects look new");
  });
});

test("a fork cannot change the certificate by which the state's server is known", async () => {
  const fork = await startFork(base);
  fork.git("switch", "--quiet", "main");
  const state = "state: postgres://db.invalid/ops?sslrootcert=ca.pem\n";
  await fork.propose({ "avatarops.yaml": `${state}${base["avatarops.yaml"]}`, "ca.pem": "the base's\n" });
  fork.git("switch", "--quiet", "--create", "change");
  expect(shown(await fork.plan())).not.toContain("which decides");
  await fork.propose({ "ca.pem": "the author's\n" });
  expect(shown(await fork.plan())).toContain("it is not that of the base, which decides");
});
