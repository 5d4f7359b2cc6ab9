// @module-tag ci
/** The jobs that comments start, of `action.yml`, `templates/` and `examples/ci`, run as they stand. */
import { describe, expect, test } from "vitest";
import { runWorkflow } from "./actions-runner.js";
import { jobOf, runJob } from "./gitlab-runner.js";
import { gitlabVariables, namesIn, ofStaging, packForJobs, said } from "./hosted-jobs.js";
import { type Hosted, startHosted } from "./repository.js";

const installed = packForJobs();
const github = "examples/ci/github/avatarops.yml";
const forgejo = "examples/ci/forgejo/avatarops.yml";

describe("a command in a comment", { tags: "night" }, () => {
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
    const bare = await runWorkflow(forgejo, project.comment("/avatarops plan"));
    expect(bare, said(bare)).toMatchObject([{ name: "comment", exit: 1 }]);
    expect(bodies(project)).toEqual([expect.stringContaining("name one of staging, production")]);
    const planned = await runWorkflow(forgejo, project.comment("/avatarops plan production"));
    expect(planned, said(planned)).toMatchObject([{ name: "comment", exit: 0 }]);
    project.merge();
    const applied = await runWorkflow(forgejo, project.comment("/avatarops apply production"));
    expect(applied, said(applied)).toMatchObject([{ name: "comment", exit: 0 }]);
    expect(namesIn(project)).toEqual(["Desk"]);
    expect(project.problems).toEqual([]);
  });

  test("on GitLab, by a webhook: each environment has a job, and one of them does it", async () => {
    const project = await startHosted("gitlab", installed);
    const job = jobOf("avatarops-comment-staging", ofStaging(installed));
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
