// @module-tag act
/**
 * Runs pipelines for a repository with many projects. One job finds the changed projects, and each changed project has
 * its own jobs.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { git } from "../git/repositories.js";
import type { TriggerEvent } from "../real/act.js";
import { type Job, readJob, runJob } from "./gitlab-runner.js";
import {
  createGitlabVariables,
  joinOutput,
  listContextNames,
  listExits,
  listStatuses,
  packForJobs,
  runWorkflows,
} from "./hosted-jobs.js";
import { type Hosted, startHosted } from "./repository.js";

const installed = packForJobs();

const formatState = (state: string) => `state: git+refs://origin/avatarops/${state}`;
/** The manifest lists production first, but production must be applied last. */
const support = `contexts: { help: { name: Help, prompt: !file prompt.md } }
environments:
  production: { ${formatState("support-production")}, needs: [staging] }
  staging: { ${formatState("support-staging")}, contexts: { help: { name: Help (staging) } } }
`;
const files = {
  "support/avatarops.yaml": support,
  "support/prompt.md": "Be kind.\n",
  "billing/avatarops.yaml": `${formatState("billing")}\ncontexts: { bill: { name: Bill, prompt: Be exact. } }\n`,
  "broken/avatarops.yaml": "contexts: 7\n",
};

/** Opens a pull request that changes `support`. Returns its commits, its event and a function that merges it. */
async function propose(project: Hosted) {
  const { folder, sha: base, world } = project;
  await project.write("support/prompt.md", "Be brief.\n");
  git(folder, "commit", "--quiet", "--all", "--message=brief");
  git(folder, "push", "--quiet", "origin", "HEAD:refs/heads/change");
  const sha = git(folder, "rev-parse", "HEAD");
  Object.assign(world.pulls[0] ?? {}, { commit: sha });
  const [head, to] = [sha, base].map((sha) => ({ sha, repo: { full_name: "team/avatars" } }));
  const payload = { number: 7, pull_request: { number: 7, head, base: to } };
  const opened: TriggerEvent = { ...project.pullRequest, sha, payload };
  const merge = (): TriggerEvent => {
    git(folder, "push", "--quiet", "origin", "HEAD:main");
    Object.assign(world.pulls[0] ?? {}, { open: false, merged: sha });
    return { ...project.push, sha, payload: { before: base } };
  };
  return { sha, base, opened, merge };
}

const environments = ["avatarops/support/production", "avatarops/support/staging"];

describe.each([
  ["github", "examples/ci/github/projects"],
  ["gitea", "examples/ci/forgejo/projects"],
] as const)("multi-project pipelines on %s", (host, workflows) => {
  test("plan and apply each changed project in separate jobs, staging before production", async () => {
    const project = await startHosted(host, installed, files);
    const { opened, merge } = await propose(project);
    const planned = await runWorkflows(workflows, opened);
    expect(listExits(planned), joinOutput(planned)).toEqual({
      projects: 0,
      "plan (staging, support/avatarops.yaml)": 0,
      "plan (production, support/avatarops.yaml)": 0,
    });
    expect(listStatuses(project)).toEqual(environments);
    const applied = await runWorkflows(workflows, merge());
    expect(applied, joinOutput(applied)).toMatchObject([
      { name: "projects", exit: 0 },
      { name: "apply (staging, support/avatarops.yaml)", exit: 0 },
      { name: "apply (production, support/avatarops.yaml)", exit: 0 },
    ]);
    expect(listContextNames(project)).toEqual(["Help", "Help (staging)"]);
    expect(project.problems).toEqual([]);
  });

  test("do not apply to production if staging failed", async () => {
    const project = await startHosted(host, installed, files);
    const { opened, merge } = await propose(project);
    await runWorkflows(workflows, opened);
    project.emulator.addFault("POST /v1/contexts 500");
    const applied = await runWorkflows(workflows, merge());
    expect(applied, joinOutput(applied)).toMatchObject([
      { name: "projects", exit: 0 },
      { name: "apply (staging, support/avatarops.yaml)" },
      {
        name: "apply (production, support/avatarops.yaml)",
        exit: 7,
        stdout: expect.stringContaining("[needs]"),
      },
    ]);
    expect(applied[1]?.exit).not.toBe(0);
  });

  test("run for all projects on a branch's first push, and for no project if nothing changed", async () => {
    const project = await startHosted(host, installed, files);
    const first = { ...project.push, payload: { before: "0".repeat(40) } };
    expect(listExits(await runWorkflows(workflows, first))).toEqual({
      projects: 0,
      "apply (, billing/avatarops.yaml)": 7,
      "apply (, broken/avatarops.yaml)": 1,
      "apply (staging, support/avatarops.yaml)": 7,
      "apply (production, support/avatarops.yaml)": 7,
    });
    const none = await runWorkflows(workflows, project.pullRequest);
    expect(none, joinOutput(none)).toMatchObject([{ name: "projects", exit: 0 }]);
    const ran = await runWorkflows(workflows, project.fork({ "billing/avatarops.yaml": "contexts: {}\n" }));
    expect(ran.map(({ name }) => name)).toEqual(["projects", "plan (, billing/avatarops.yaml)"]);
    expect(listStatuses(project)).toEqual([]);
  });
});

describe("multi-project pipelines on GitLab", () => {
  const parts = ["examples/ci/gitlab/project-jobs.yml", "examples/ci/gitlab/projects.gitlab-ci.yml"];

  /** Runs the job that finds changed projects, and then the generated pipeline's jobs, stage by stage. */
  async function runPipeline(project: Hosted, sha: string, variables: Readonly<Record<string, string>>) {
    const run = (job: Job, more: object) =>
      runJob(
        { ...job, variables: { ...job.variables, AVATAROPS_VERSION: installed.version } },
        {
          remote: project.remote,
          sha,
          variables: { ...createGitlabVariables(project), ...variables, ...more },
        },
      );
    const found = await run(readJob(parts, "find"), {});
    expect(found, found.stdout + found.stderr).toMatchObject({ exit: 0 });
    const made = parse(readFileSync(path.join(found.project, "jobs.yml"), "utf8")) as Made;
    expect(made.include).toEqual({ local: ".gitlab/avatarops.yml" });
    const ended: [stage: string, target: string, exit: number | null][] = [];
    for (const stage of made.stages ?? []) {
      const { extends: kind, parallel } = made[stage] as MadeJob;
      for (const row of parallel.matrix) {
        const { exit } = await run(readJob(parts, kind), { ...row, CI_PIPELINE_SOURCE: "parent_pipeline" });
        ended.push([stage, row.AVATAROPS_TARGET ?? "", exit]);
      }
    }
    return ended;
  }
  interface MadeJob {
    readonly extends: string;
    readonly parallel: { readonly matrix: readonly Readonly<Record<string, string>>[] };
  }
  interface Made extends Readonly<Record<string, unknown>> {
    readonly include: object;
    readonly stages?: readonly string[];
  }

  test("plan and apply each changed project in separate jobs, staging before production", async () => {
    const project = await startHosted("gitlab", installed, files);
    const { sha, base, merge } = await propose(project);
    const ofPull = {
      ...{ CI_PIPELINE_SOURCE: "merge_request_event", CI_MERGE_REQUEST_DIFF_BASE_SHA: base },
      ...{ CI_MERGE_REQUEST_IID: "7", CI_MERGE_REQUEST_PROJECT_PATH: "team/avatars" },
    };
    expect(await runPipeline(project, sha, ofPull)).toEqual([
      ["plan", "support/staging", 0],
      ["plan", "support/production", 0],
    ]);
    expect(listStatuses(project)).toEqual(environments);
    merge();
    const push = { CI_PIPELINE_SOURCE: "push", CI_COMMIT_BEFORE_SHA: base };
    expect(await runPipeline(project, sha, push)).toEqual([
      ["apply 1", "support/staging", 0],
      ["apply 2", "support/production", 0],
    ]);
    expect(listContextNames(project)).toEqual(["Help", "Help (staging)"]);
    expect(await runPipeline(project, sha, { ...push, CI_COMMIT_BEFORE_SHA: sha })).toEqual([]);
    expect(project.problems).toEqual([]);
  });
});
