/** The jobs of `action.yml`, `templates/` and `examples/ci`, run as they stand: their shell against the emulator. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Project, startProject } from "../cli/hosting.js";
import { packInto, succeed } from "../installing.js";
import { type Occasion, runWorkflow } from "./actions-runner.js";
import { jobOf, runJob } from "./gitlab-runner.js";

/** What runners keep between jobs: what is installed, and the package as the registry would have it. */
let temp: string;
let version: string;
beforeAll(async () => {
  temp = await mkdtemp(path.join(tmpdir(), "avatarops-pipelines-"));
  version = `file:${await packInto(temp)}`;
});
afterAll(() => rm(temp, { recursive: true }));

const manifest = `
contexts:
  desk: { name: Desk, prompt: Be kind. }
environments:
  staging: { contexts: { desk: { name: Desk (staging) } } }
  production: {}
`;

/** A project with one commit, in the place of the code host's repository. */
async function startRepository(): Promise<Project & { occasion: Occasion; sha: string; remote: string }> {
  const project = await startProject({ files: { "avatarops.yaml": manifest } });
  const git = (...argv: string[]) =>
    succeed("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...argv], { cwd: project.folder });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", ".");
  await git("commit", "--quiet", "--message=begin");
  const sha = (await git("rev-parse", "HEAD")).trim();
  const remote = `file://${project.folder}`;
  const occasion: Occasion = {
    event: "push",
    ref: "refs/heads/main",
    vars: { AVATAROPS_BASE_URL: project.emulator.url },
    secrets: { AVATAROPS_API_KEY: "test-key" },
    replaced: { version, AVATAROPS_VERSION: version },
    ...{ sha, remote, temp },
  };
  return { ...project, occasion, sha, remote };
}

const namesIn = ({ emulator }: Project) => emulator.world.contexts.map(({ name }) => name).toSorted();

describe("after a merge", () => {
  test("the workflow for GitHub applies to one environment after the other, and tells it in the summary", async () => {
    const project = await startRepository();
    const jobs = await runWorkflow("examples/ci/github/avatarops.yml", project.occasion);
    expect(jobs).toMatchObject([
      { name: "apply (staging)", exit: 0, summary: expect.stringContaining("context.desk") },
      { name: "apply (production)", exit: 0, summary: expect.stringContaining("context.desk") },
    ]);
    expect(namesIn(project)).toEqual(["Desk", "Desk (staging)"]);
  });

  test("the workflow for Forgejo and Gitea applies", async () => {
    const project = await startRepository();
    const jobs = await runWorkflow("examples/ci/forgejo/avatarops.yml", project.occasion);
    expect(jobs).toMatchObject([{ name: "apply", exit: 0 }]);
    expect(namesIn(project)).toEqual(["Desk"]);
  });

  test("the component of GitLab applies, in an environment of the manifest where it is told to", async () => {
    const project = await startRepository();
    const { emulator, remote, sha } = project;
    const variables = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" };
    const job = jobOf("avatarops-apply-staging", { environment: "staging", "env-option": true, version });
    expect(await runJob(job, { remote, sha, variables })).toMatchObject({ exit: 0 });
    expect(namesIn(project)).toEqual(["Desk (staging)"]);
  });
});

describe("the action", () => {
  test("fails with the exit code of the command, and gives it", async () => {
    const { occasion } = await startRepository();
    const jobs = await runWorkflow("examples/ci/github/avatarops.yml", {
      ...{ ...occasion, event: "workflow_dispatch" },
      inputs: { environment: "elsewhere", digest: "" },
    });
    expect(jobs).toMatchObject([{ name: "apply (elsewhere)", exit: 1 }]);
    expect(jobs[0]?.stderr).toContain("elsewhere");
  });
});
