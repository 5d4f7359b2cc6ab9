/** The jobs of `action.yml`, `templates/` and `examples/ci`, run as they stand: their shell against the emulator. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Project, startProject } from "../cli/hosting.js";
import { packInto, succeed } from "../installing.js";
import { type StandInName, startStandIn } from "../review/stand-in.js";
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

/** A project with one commit on a code host, which is the head of pull request 7. */
async function startRepository(name: StandInName) {
  const project = await startProject({ files: { "avatarops.yaml": manifest } });
  const git = (...argv: string[]) =>
    succeed("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...argv], { cwd: project.folder });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", ".");
  await git("commit", "--quiet", "--message=begin");
  const sha = (await git("rev-parse", "HEAD")).trim();
  const remote = `file://${project.folder}`;
  const { world, options, problems } = await startStandIn(name);
  const [pull] = world.pulls;
  if (!pull) throw new Error("Bug: the host has no pull request");
  pull.commit = sha;
  const side = { sha, repo: { full_name: "team/avatars" } };
  const occasion: Occasion = {
    event: "pull_request",
    ref: "refs/pull/7/head",
    payload: { number: 7, pull_request: { number: 7, head: side, base: side } },
    vars: { AVATAROPS_BASE_URL: project.emulator.url },
    secrets: { AVATAROPS_API_KEY: "test-key" },
    runner: {
      ...{ GITHUB_SERVER_URL: options.webUrl, GITHUB_API_URL: options.apiUrl },
      ...(name === "gitea" ? { GITEA_ACTIONS: "true" } : {}),
    },
    token: options.token.reveal(),
    replaced: { version, AVATAROPS_VERSION: version },
    ...{ sha, remote, temp },
  };
  /** What happens next: the pull request was merged, without a commit of its own. */
  const merge = (): Occasion => {
    Object.assign(pull, { open: false, merged: sha });
    const { payload: _, ...rest } = occasion;
    return { ...rest, event: "push", ref: "refs/heads/main" };
  };
  return { ...project, occasion, sha, remote, world, options, problems, merge };
}

const namesIn = ({ emulator }: Project) => emulator.world.contexts.map(({ name }) => name).toSorted();

describe("a pull request and its merge", () => {
  test("on GitHub: a comment and a status for each environment, and exactly those plans afterwards", async () => {
    const project = await startRepository("github");
    const { world, problems } = project;
    const planned = await runWorkflow("examples/ci/github/avatarops.yml", project.occasion);
    expect(planned).toMatchObject([
      { name: "plan (staging)", exit: 0, summary: expect.stringContaining("context.desk") },
      { name: "plan (production)", exit: 0, summary: expect.stringContaining("context.desk") },
    ]);
    expect(world.comments).toHaveLength(2);
    const contexts = ["avatarops/staging", "avatarops/production"];
    expect(world.statuses.map(({ context }) => context)).toEqual(contexts);
    expect(namesIn(project)).toEqual([]);
    const applied = await runWorkflow("examples/ci/github/avatarops.yml", project.merge());
    expect(applied.map(({ exit }) => exit)).toEqual([0, 0]);
    expect(namesIn(project)).toEqual(["Desk", "Desk (staging)"]);
    expect(problems).toEqual([]);
  });

  test("on Gitea and Forgejo", async () => {
    const project = await startRepository("gitea");
    const workflow = "examples/ci/forgejo/avatarops.yml";
    expect(await runWorkflow(workflow, project.occasion)).toMatchObject([{ name: "plan", exit: 0 }]);
    expect(project.world.comments).toHaveLength(1);
    const applied = await runWorkflow(workflow, project.merge());
    expect(applied, applied[0]?.stderr).toMatchObject([{ name: "apply", exit: 0 }]);
    expect(namesIn(project)).toEqual(["Desk"]);
    expect(project.problems).toEqual([]);
  });

  test("on GitLab, in an environment of the manifest where the component is told to", async () => {
    const project = await startRepository("gitlab");
    const { emulator, remote, sha, options } = project;
    const variables = {
      AVATAROPS_BASE_URL: emulator.url,
      AVATAROPS_API_KEY: "test-key",
      CI_SERVER_URL: options.webUrl,
      CI_API_V4_URL: options.apiUrl,
      GITLAB_TOKEN: options.token.reveal(),
    };
    const inputs = { environment: "staging", "env-option": true, version };
    const ofPull = { CI_MERGE_REQUEST_IID: "7", CI_MERGE_REQUEST_PROJECT_PATH: "team/avatars" };
    const plan = jobOf("avatarops-plan-staging", inputs);
    const planned = await runJob(plan, { remote, sha, variables: { ...variables, ...ofPull } });
    expect(planned, planned.stderr).toMatchObject({ exit: 0 });
    project.merge();
    const applied = await runJob(jobOf("avatarops-apply-staging", inputs), { remote, sha, variables });
    expect(applied, applied.stderr).toMatchObject({ exit: 0 });
    expect(namesIn(project)).toEqual(["Desk (staging)"]);
    expect(project.problems).toEqual([]);
  });

  test("a commit that no pull request brought is not applied", async () => {
    const project = await startRepository("github");
    const direct: Occasion = { ...project.occasion, event: "push", ref: "refs/heads/main", payload: {} };
    const [staging] = await runWorkflow("examples/ci/github/avatarops.yml", direct);
    expect(staging).toMatchObject({ exit: 1 });
    expect(staging?.stderr).toContain("not-reviewed");
    expect(namesIn(project)).toEqual([]);
  });
});
