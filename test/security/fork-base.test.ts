/** What an untrusted change is compared with: its base, and, without an API key, what was last applied. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder, saying } from "../cli/hosting.js";
import { base, startFork } from "./fork.js";

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
