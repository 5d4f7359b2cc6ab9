// @module-tag ci
/** Tests the base commit of an untrusted change, and the applied state that it is compared with without an API key. */
import { rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { matchText } from "../cli/hosting.js";
import { commitAll, newRepository } from "../git/repositories.js";
import { createEventVariables } from "../review/job.js";
import { base, type Fork, manifest, startFork } from "./fork.js";
import { joinStreams } from "./thief.js";

describe("untrusted plan against a base", () => {
  test("prefers CI's base commit to any ref that a fork controls", async () => {
    const fork = await startFork();
    const sha = fork.git("rev-parse", "main");
    await fork.propose({ "avatarops.yaml": manifest.replace("LLM_API_KEY", "GITHUB_TOKEN") });
    // Imitates a job that checked out the fork, so that `origin` is the fork.
    fork.git("update-ref", "refs/remotes/origin/main", "HEAD");
    const ofGitHub = {
      ...createEventVariables({ pull_request: { base: { sha } } }),
      GITHUB_BASE_REF: "main",
    };
    const ofGitLab = {
      ...{ CI_PROJECT_ID: "2", CI_MERGE_REQUEST_PROJECT_ID: "1", CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "2" },
      ...{ CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main", CI_MERGE_REQUEST_DIFF_BASE_SHA: sha },
    };
    for (const environment of [ofGitHub, ofGitLab]) {
      const planned = await fork.avataropsWith({ environment }, "plan", "--untrusted");
      expect(planned).toMatchObject({ exit: 1, stderr: matchText("error[untrusted-variable]") });
    }
  });

  test("rejects a fork's manifest that replaces or accompanies the base's manifest", async () => {
    const code = `import { Context, Project } from "avatarops";
const project = new Project({ policies: { "forbidden-phrases": { phrases: ["free"] } } });
new Context(project, "desk", { name: "Desk", prompt: "You answer politely." });
export default project;
`;
    const fork = await startFork({ "avatarops.config.ts": code });
    const own = { "avatarops.yaml": "contexts: { desk: { name: Desk, prompt: All calls are free. } }\n" };
    await fork.propose(own);
    const two = {
      exit: 1,
      stdout: "",
      stderr: expect.stringMatching(/error\[other-manifest\].*, not\s+avatarops\.yaml,/s),
    };
    expect(await fork.plan()).toMatchObject(two);
    await fork.propose({ "avatarops.config.ts": undefined });
    expect(await fork.plan()).toMatchObject(two);
    expect(await fork.avatarops("validate", "--untrusted", "--base", "main")).toMatchObject({ exit: 1 });
    await fork.propose({ "avatarops.yaml": undefined, "other/avatarops.yaml": own["avatarops.yaml"] });
    expect(await fork.plan("--file", "other/avatarops.yaml")).toMatchObject({
      ...{ exit: 1, stdout: "", stderr: matchText("error[no-base-manifest]") },
    });
  });

  test("rejects a fork if its base is unknown", async () => {
    const fork = await startFork();
    const unknown = await fork.avatarops("plan", "--untrusted");
    expect(unknown).toMatchObject({ exit: 1, stderr: matchText("error[no-base]") });
    const missing = await fork.avatarops("plan", "--untrusted", "--base", "0123456789".repeat(4));
    expect(missing).toMatchObject({ exit: 1, stderr: matchText("git fetch origin") });
    const option = await fork.avatarops("plan", "--untrusted", "--base", "--upload-pack=touch x");
    expect(option).toMatchObject({ exit: 1, stderr: matchText("error[no-base]") });
    expect(await fork.avatarops("plan", "--base", "main")).toMatchObject({ exit: 1 });
  });
});

test("rejects a fork's symlink that replaces a project folder", async () => {
  for (const target of ["other", "link"]) {
    const other = `service: { base_url: https://other.example.com }\n${manifest.replace(/^service.*\n/, "")}`;
    const fork = await startFork({ ...base, "other/avatarops.yaml": other, "sub/avatarops.yaml": other });
    const link = path.join(fork.folder, "sub");
    rmSync(link, { recursive: true });
    symlinkSync(target, link);
    if (target === "link") symlinkSync("other", path.join(fork.folder, "link"));
    commitAll(fork.folder);
    const refused = { exit: 1, stdout: "", stderr: matchText("error[linked-folder]") };
    expect(await fork.plan("--file", "sub/avatarops.yaml")).toMatchObject(refused);
    const cwd = path.join(fork.folder, "other");
    const plan = () => fork.avataropsWith({ cwd }, "plan", "--untrusted", "--base", "main");
    expect(await plan()).toMatchObject(refused);
    // Moves the base to this commit. The symlink is then no longer part of the change.
    fork.git("branch", "--force", "main");
    expect((await plan()).stderr).not.toContain("linked-folder");
  }
});

describe("untrusted plan of a submodule", () => {
  /** Adds a submodule to the fork, checked out as in CI. Its first commit contains these files. */
  function addSubmodule(fork: Fork, at: string, files: Readonly<Record<string, string>>) {
    fork.git("rm", "-r", "--quiet", "--cached", "--ignore-unmatch", at);
    rmSync(path.join(fork.folder, at), { recursive: true, force: true });
    fork.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", newRepository(files), at);
    fork.git("commit", "--quiet", "--message", "submodule");
  }

  test("ignores a state in a fork's submodule, even if its path contains ..", async () => {
    const state = "state: ./kept/../kept/state.json\n";
    const fork = await startFork({ ...base, "avatarops.yaml": state + manifest });
    const forged = await fork.read("kept/state.json");
    await fork.proposeToBase({ kept: undefined });
    const notFound = { exit: 0, stdout: expect.stringMatching(/adopt +context\.desk/) };
    // A file that CI put into the checkout is read.
    await fork.write("kept/state.json", forged);
    expect((await fork.plan()).stdout).not.toMatch(/adopt/);
    await fork.propose({ "kept/state.json": forged });
    expect(await fork.plan()).toMatchObject(notFound);
    addSubmodule(fork, "kept", { "state.json": forged });
    expect(fork.has("kept/state.json")).toBe(true);
    expect(await fork.plan()).toMatchObject(notFound);
  });

  test("rejects a project inside a fork's submodule", async () => {
    const fork = await startFork();
    addSubmodule(fork, "avatars", { "avatarops.yaml": manifest });
    const cwd = path.join(fork.folder, "avatars");
    const planned = await fork.avataropsWith({ cwd }, "plan", "--untrusted", "--base", "main");
    expect(planned).toMatchObject({ exit: 1, stdout: "", stderr: matchText("error[submodule]") });
  });
});

describe("untrusted plan without an API key", () => {
  const keyless = { AVATAROPS_API_KEY: "" };

  test("compares a fork with the last applied state", async () => {
    const text = `You answer politely. ${"More words follow here. ".repeat(20)}\n`;
    const fork = await startFork({ ...base, "prompts/desk.md": text });
    await fork.propose({ "prompts/desk.md": text.replace("politely", "briefly") });
    fork.emulator.editContext("Desk", { prompt: "Edited elsewhere." });
    const requests = fork.emulator.requests.length;
    const run = (...more: string[]) => fork.planWith(keyless, ...more);
    const planned = await run("--detailed-exitcode");
    expect(planned).toMatchObject({ exit: 2, stdout: matchText("not compared with the account") });
    expect(planned.stdout).toEqual(matchText("there is no API key"));
    // The plan takes the earlier prompt from the base, because the state has only its digest.
    expect(planned.stdout).toMatch(/politely[\s\S]*briefly|briefly[\s\S]*politely/);
    expect(JSON.parse((await run("--format", "json")).stdout)).toMatchObject({
      ...{ compared_with: "state", requests: 0 },
      changes: [{ address: "context.desk", action: "update", reason: "configured" }],
    });
    expect((await run("--format", "markdown")).stdout).toContain("Not compared with the account: no API key");
    expect(fork.emulator.requests).toHaveLength(requests);
  });

  test("rejects an apply of a plan that was not compared with the account", async () => {
    const fork = await startFork();
    await fork.propose({ "prompts/desk.md": "Be brief.\n" });
    expect(await fork.planWith(keyless, "--out", "plan.json")).toMatchObject({
      exit: 1,
      stderr: matchText("The plan was not saved"),
    });
    const applied = await fork.avatarops("apply", "plan.json");
    expect(applied).toMatchObject({ exit: 1, stderr: matchText("plan.json") });
    expect(fork.writes()).toEqual([]);
  });

  test("reports a missing state for a fork", async () => {
    const fork = await startFork();
    await fork.propose({ "prompts/desk.md": "Be brief.\n" });
    await fork.proposeToBase({ ".avatarops": undefined });
    const { stdout } = await fork.planWith(keyless);
    expect(stdout).toEqual(matchText("an empty account, because there is no state"));
  });
});

test("rejects a fork's change to the state server certificate", async () => {
  const fork = await startFork();
  const state = "state: postgres://db.invalid/ops?sslrootcert=ca.pem\n";
  await fork.proposeToBase({ "avatarops.yaml": state + manifest, "ca.pem": "the base's\n" });
  expect(joinStreams(await fork.plan())).not.toContain("differs from the target branch");
  await fork.propose({ "ca.pem": "the author's\n" });
  expect(joinStreams(await fork.plan())).toContain("it differs from the target branch");
});
