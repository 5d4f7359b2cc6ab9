// @module-tag night
/** Runs pipelines that build avatarops from a commit, as required before the first release. */
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { findPassages } from "../../scripts/docs/passages.js";
import { findPins } from "../../scripts/pipelines/pins.js";
import { version } from "../../src/base/version/index.js";
import { runProgram } from "../installing.js";
import { cloneSettings, readLastCommit } from "./commit.js";
import { startGithubArchives } from "./github-archives.js";
import { createJob, readJob, runJob } from "./gitlab-runner.js";
import {
  createGitlabVariables,
  joinOutput,
  listContextNames,
  listExits,
  runWorkflow,
} from "./hosted-jobs.js";
import { npmSettings } from "./npm-settings.js";
import { startHosted } from "./repository.js";

/** Matches the output of `npm ci` if it installs the development dependencies to build avatarops. */
const built = /added \d{3,} packages/;

describe("avatarops installed from a commit", () => {
  vi.setConfig({ testTimeout: 1_800_000 });
  const installed = { temp: "", version: readLastCommit() };
  beforeAll(async () => {
    installed.temp = await mkdtemp(path.join(tmpdir(), "avatarops-commit-"));
  });
  afterAll(() => rm(installed.temp, { recursive: true }));

  test("runs as a command after the documented steps", async () => {
    const [line = ""] = findPassages("docs/commands.md", "sh", "Install a commit");
    const [pin = ""] = findPins(line).map((one) => one.pin);
    const folder = await mkdtemp(path.join(installed.temp, "global-"));
    const { requested, settings, close } = await startGithubArchives();
    onTestFinished(close);
    const npm = { ...npmSettings, ...settings, npm_config_prefix: folder };
    const env = { ...process.env, ...npm, ...cloneSettings };
    await runProgram("bash", ["-ec", line.replace(pin, installed.version)], { cwd: folder, env });
    const printed = await runProgram(path.join(folder, "bin/avatarops"), ["--version"], { cwd: folder, env });
    expect(printed).toBe(`${version}\n`);
    expect(requested).toEqual([`/avatarops/avatarops/tar.gz/${installed.version}`]);
  });

  /** Starts a host with a cache. Returns a function that manually starts the workflow for an environment. */
  async function startCaching(name: "github" | "gitea") {
    const project = await startHosted(name, installed);
    const cache = await mkdtemp(path.join(installed.temp, "cache-"));
    const run = (workflow: string, inputs: Readonly<Record<string, string>>) => {
      const occasion = project.dispatch({ environment: "production", ...inputs });
      const environment = { ...occasion.environment, CACHE_FOLDER: cache };
      return runWorkflow(workflow, { ...occasion, environment });
    };
    return { project, run, entries: () => readdir(cache) };
  }

  test("is built once by the Action and then read from GitHub's cache", {
    tags: "act",
  }, async () => {
    const { project, run, entries } = await startCaching("github");
    const workflows = "examples/ci/github/team";
    const planned = await run(`${workflows}/avatars-plan.yml`, {});
    expect(listExits(planned), joinOutput(planned)).toEqual({ "plan (production)": 0 });
    expect(joinOutput(planned)).toMatch(built);
    const [, digest = ""] = /--digest (\S+)/.exec(planned[0]?.summary ?? "") ?? [];
    const applied = await run(`${workflows}/avatars-apply.yml`, { digest });
    expect(listExits(applied), joinOutput(applied)).toEqual({ "apply (production)": 0 });
    expect(joinOutput(applied)).not.toMatch(built);
    expect(listContextNames(project)).toEqual(["Desk"]);
    expect(await entries()).toHaveLength(1);
  });

  test("is not stored in Gitea's cache, because pull requests share that cache", {
    tags: "act",
  }, async () => {
    const { run, entries } = await startCaching("gitea");
    // Gitea has no permission for statuses alone.
    const workflow = readFileSync("examples/ci/github/team/avatars-plan.yml", "utf8")
      .replace("statuses: write", "contents: write")
      .replace("contents: read\n      pull-requests", "pull-requests");
    const adapted = path.join(installed.temp, "avatars-plan.yml");
    await writeFile(adapted, workflow);
    const planned = await run(adapted, {});
    expect(listExits(planned), joinOutput(planned)).toEqual({ "plan (production)": 0 });
    expect(await entries()).toEqual([]);
  });

  test("is built by the workflows for Forgejo and Gitea", { tags: "act" }, async () => {
    const { run } = await startCaching("gitea");
    const planned = await run("examples/ci/forgejo/single/avatars-plan.yml", {});
    expect(listExits(planned), joinOutput(planned)).toEqual({ plan: 0 });
    expect(joinOutput(planned)).toMatch(built);
  });

  test.each([
    ["the component", () => createJob("avatarops-plan-production", { version: installed.version })],
    [
      "the jobs of many projects",
      () => {
        const job = readJob(["examples/ci/gitlab/project-jobs.yml"], ".plan");
        return { ...job, variables: { ...job.variables, AVATAROPS_VERSION: installed.version } };
      },
    ],
  ])("is built by %s for GitLab", async (_, job) => {
    const project = await startHosted("gitlab", installed);
    const { remote, sha } = project;
    const variables = { ...createGitlabVariables(project), CI_PIPELINE_SOURCE: "web" };
    const planned = await runJob(job(), { remote, sha, variables });
    expect(planned, planned.stdout + planned.stderr).toMatchObject({ exit: 0 });
    expect(planned.stdout).toMatch(built);
    expect(planned.stdout).toContain("context.desk");
  });
});
