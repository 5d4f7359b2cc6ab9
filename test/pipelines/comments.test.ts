/** The jobs that comments start, of `action.yml`, `templates/` and `examples/ci`, run as they stand. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { packInto } from "../installing.js";
import { isLong } from "../real/long.js";
import { type RanJob, runWorkflow } from "./actions-runner.js";
import { jobOf, runJob } from "./gitlab-runner.js";
import { keptNpm } from "./kept-npm.js";
import { type Hosted, type Installed, startHosted } from "./repository.js";

// npm installs, and many programs are started.
vi.setConfig({ testTimeout: 120_000 });

let installed: Installed;
beforeAll(async () => {
  const temp = await mkdtemp(path.join(tmpdir(), "avatarops-pipelines-"));
  installed = { temp, version: `file:${await packInto(temp)}` };
  vi.stubEnv("PATH", `${keptNpm(temp)}${path.delimiter}${process.env.PATH}`);
});
afterAll(() => rm(installed.temp, { recursive: true }));

const github = "examples/ci/github/avatarops.yml";
const forgejo = "examples/ci/forgejo/avatarops.yml";
const namesIn = ({ emulator }: Hosted) => emulator.world.contexts.map(({ name }) => name).toSorted();
const said = (jobs: readonly RanJob[]) => jobs.map(({ stdout, stderr }) => stdout + stderr).join("\n");

/** The variables of the project and of the runner, on GitLab. */
const gitlabVariables = ({ emulator, options }: Hosted) => ({
  AVATAROPS_BASE_URL: emulator.url,
  AVATAROPS_API_KEY: "test-key",
  CI_SERVER_URL: options.webUrl,
  CI_API_V4_URL: options.apiUrl,
  GITLAB_TOKEN: options.token.reveal(),
});
/** What the component is told for the environment `staging` of the manifest. */
const ofStaging = () => ({
  ...{ environment: "staging", "env-option": true, smoke: true },
  version: installed.version,
});

describe.skipIf(!isLong)("a command in a comment", () => {
  const bodies = ({ world }: Hosted) =>
    world.comments.map(({ body }) => body).filter((body) => body.startsWith("<!-- avatarops:command"));

  test("on GitHub: what was merged is applied to the environment that it names", async () => {
    const project = await startHosted("github", installed);
    const planned = await runWorkflow(github, project.comment("/avatarops plan staging"));
    expect(planned, said(planned)).toMatchObject([{ name: "comment", exit: 0 }]);
    expect(project.world.statuses.map(({ context }) => context)).toEqual(["avatarops/staging"]);
    project.merge();
    const applied = await runWorkflow(github, project.comment("/avatarops apply staging"));
    expect(applied, said(applied)).toMatchObject([{ name: "comment", exit: 0 }]);
    expect(namesIn(project)).toEqual(["Desk (staging)"]);
    expect(bodies(project)).toHaveLength(2);
    expect(project.problems).toEqual([]);
    expect(await runWorkflow(github, project.comment("Looks good to me."))).toEqual([]);
  });

  test("on Gitea and Forgejo", async () => {
    const project = await startHosted("gitea", installed);
    const planned = await runWorkflow(forgejo, project.comment("/avatarops plan"));
    expect(planned, said(planned)).toMatchObject([{ name: "comment", exit: 0 }]);
    project.merge();
    const applied = await runWorkflow(forgejo, project.comment("/avatarops apply"));
    expect(applied, said(applied)).toMatchObject([{ name: "comment", exit: 0 }]);
    expect(namesIn(project)).toEqual(["Desk"]);
    expect(project.problems).toEqual([]);
  });

  test("on GitLab, by a webhook: each environment has a job, and one of them does it", async () => {
    const project = await startHosted("gitlab", installed);
    const job = jobOf("avatarops-comment-staging", ofStaging());
    const comment = (body: string) => {
      const { triggerPayload } = project.comment(body);
      const variables = { ...gitlabVariables(project), TRIGGER_PAYLOAD: triggerPayload };
      return runJob(job, { remote: project.remote, sha: project.sha, variables });
    };
    expect(await comment("/avatarops plan staging")).toMatchObject({ exit: 0 });
    expect(await comment("/avatarops plan production")).toMatchObject({ exit: 0 });
    expect(await comment("Looks good to me.")).toMatchObject({ exit: 0 });
    expect(project.world.statuses.map(({ context }) => context)).toEqual(["avatarops/staging"]);
    project.merge();
    const applied = await comment("/avatarops apply staging");
    expect(applied, applied.stderr).toMatchObject({ exit: 0 });
    expect(namesIn(project)).toEqual(["Desk (staging)"]);
    expect(bodies(project)).toHaveLength(2);
    expect(project.problems).toEqual([]);
  });
});
