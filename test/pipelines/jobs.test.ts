// @module-tag act
/** Runs the unchanged jobs of `action.yml`, `templates/` and `examples/ci` against the emulator. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder } from "../git/repositories.js";
import { runWithAct } from "../real/act.js";
import { createJob, runJob } from "./gitlab-runner.js";
import {
  createGitlabVariables,
  createStagingInputs,
  joinOutput,
  listContextNames,
  listExits,
  listStatuses,
  packForJobs,
  runWorkflow,
  runWorkflows,
} from "./hosted-jobs.js";
import { type Hosted, manifest, startHosted } from "./repository.js";

const installed = packForJobs();
const github = "examples/ci/github/team";
const forgejo = "examples/ci/forgejo/single";
/** Returns all secret values in the account. */
const listSecrets = ({ emulator }: Hosted) =>
  emulator.world.secrets.map(({ id }) => emulator.secretValue(id)).toSorted();

/** Returns the digest from the apply command that a plan recommends. */
const findDigest = (text = "") => /--digest (\S+)/.exec(text)?.[1] ?? "";

describe("example plan and apply jobs", () => {
  test("comment and set a status for each environment on GitHub, and apply the reviewed plans", async () => {
    const project = await startHosted("github", installed);
    const { world, problems } = project;
    const planned = await runWorkflows(github, project.pullRequest);
    expect(listExits(planned), joinOutput(planned)).toEqual({ "plan (staging)": 0, "plan (production)": 0 });
    for (const { summary } of planned) expect(summary).toContain("context.desk");
    expect(world.comments).toHaveLength(2);
    expect(listStatuses(project)).toEqual(["avatarops/production", "avatarops/staging"]);
    expect(listContextNames(project)).toEqual([]);
    const applied = await runWorkflows(github, project.merge());
    expect(listExits(applied), joinOutput(applied)).toEqual({
      "apply (staging)": 0,
      "apply (production)": 0,
    });
    for (const { summary } of applied) expect(summary).toContain("### Smoke check: 1 passed.");
    expect(listContextNames(project)).toEqual(["Desk", "Desk (staging)"]);
    expect(problems).toEqual([]);
  });

  test("fail if no session starts after the apply", async () => {
    const project = await startHosted("gitea", installed);
    await runWorkflows(forgejo, project.pullRequest);
    project.emulator.addFault("POST /v1/sessions/token 500");
    const applied = await runWorkflows(forgejo, project.merge());
    expect(applied, joinOutput(applied)).toMatchObject([{ name: "apply", exit: 1 }]);
    expect(joinOutput(applied)).toMatch(/Smoke check: 1 failed\.\s+The apply was not undone\./);
    expect(listContextNames(project)).toEqual(["Desk"]);
  });

  test("plan and apply the environment named in the GitLab component", async () => {
    const project = await startHosted("gitlab", installed);
    const { remote, sha } = project;
    const variables = createGitlabVariables(project);
    const ofPull = { CI_MERGE_REQUEST_IID: "7", CI_MERGE_REQUEST_PROJECT_PATH: "team/avatars" };
    const plan = createJob("avatarops-plan-staging", createStagingInputs(installed));
    const planned = await runJob(plan, { remote, sha, variables: { ...variables, ...ofPull } });
    expect(planned, planned.stderr).toMatchObject({ exit: 0 });
    project.merge();
    const applied = await runJob(createJob("avatarops-apply-staging", createStagingInputs(installed)), {
      remote,
      sha,
      variables,
    });
    expect(applied, applied.stderr).toMatchObject({ exit: 0 });
    expect(applied.stdout).toContain("Smoke check: 1 passed.");
    expect(listContextNames(project)).toEqual(["Desk (staging)"]);
    expect(project.problems).toEqual([]);
  });

  test("apply a GitHub commit without a pull request if started manually with the plan's digest", async () => {
    const project = await startHosted("github", installed);
    const pushed = await runWorkflows(github, project.push);
    // act continues after a failure although the matrix says `fail-fast`.
    expect(listExits(pushed)).toEqual({ "apply (staging)": 7, "apply (production)": 7 });
    for (const { stdout } of pushed) expect(stdout).toContain("not-reviewed");
    const shown = await runWorkflow(
      `${github}/avatars-plan.yml`,
      project.dispatch({ environment: "production" }),
    );
    expect(shown, joinOutput(shown)).toMatchObject([{ name: "plan (production)", exit: 0 }]);
    expect(listContextNames(project)).toEqual([]);
    const digest = findDigest(shown[0]?.summary);
    const inputs = { environment: "production", digest, allow: "threshold" };
    const applied = await runWorkflow(`${github}/avatars-apply.yml`, project.dispatch(inputs));
    expect(applied, joinOutput(applied)).toMatchObject([{ name: "apply (production)", exit: 0 }]);
    expect(listContextNames(project)).toEqual(["Desk"]);
    expect(project.problems).toEqual([]);
  });

  test("apply a GitLab commit without a merge request if started manually with the plan's digest", async () => {
    // Every object change exceeds the threshold.
    const strict = `${manifest}thresholds: { max_percent: 0, min_objects: 1 }\n`;
    const project = await startHosted("gitlab", installed, { "avatarops.yaml": strict });
    const { remote, sha } = project;
    await project.write("avatarops.yaml", strict.replace("kind to testers", "brief"));
    const environment = { PATH: process.env.PATH };
    await project.avataropsWith({ environment }, "apply", "--auto-approve", "--env", "staging");
    const prompts = () => project.emulator.world.contexts.map(({ prompt }) => prompt);
    const variables = { ...createGitlabVariables(project), CI_PIPELINE_SOURCE: "web" };
    const run = (job: string, more = {}) =>
      runJob(createJob(job, createStagingInputs(installed)), {
        remote,
        sha,
        variables: { ...variables, ...more },
      });
    const shown = await run("avatarops-plan-staging");
    expect(shown, shown.stderr).toMatchObject({ exit: 0 });
    const digest = { AVATAROPS_DIGEST: findDigest(shown.stdout) };
    expect(await run("avatarops-apply-staging", digest)).toMatchObject({ exit: 7 });
    expect(prompts()).toEqual(["Be brief."]);
    const applied = await run("avatarops-apply-staging", { ...digest, AVATAROPS_ALLOW: "threshold" });
    expect(applied, applied.stderr).toMatchObject({ exit: 0 });
    expect(prompts()).toEqual(["Be kind to testers."]);
    expect(project.problems).toEqual([]);
  });
});

describe("scheduled job", () => {
  /** Starts an applied project with dashboard edits and a rotated secret. */
  async function startEdited(name: "github" | "gitea" | "gitlab"): Promise<Hosted> {
    const key = path.join(newFolder(), "key");
    writeFileSync(key, "one");
    const llm = `{ secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !exec [cat, ${key}] }`;
    const project = await startHosted(name, installed, {
      "avatarops.yaml": `${manifest}secrets: { llm: ${llm} }\n`,
    });
    for (const env of ["production", "staging"]) {
      const environment = { PATH: process.env.PATH };
      const applied = await project.avataropsWith({ environment }, "apply", "-y", "--env", env);
      expect(applied, applied.stderr).toMatchObject({ exit: 0 });
    }
    project.world.pulls.length = 0;
    for (const name of listContextNames(project))
      project.emulator.editContext(name, { prompt: `${name}, edited.` });
    writeFileSync(key, "two");
    return project;
  }

  test("proposes each environment's edits once on GitHub", async () => {
    const project = await startEdited("github");
    for (let time = 0; time < 2; time += 1) {
      const ran = await runWorkflows(github, project.schedule);
      expect(listExits(ran), joinOutput(ran)).toEqual({
        ...{ "drift (staging)": 0, "drift (production)": 0 },
        ...{ "rotations (staging)": 0, "rotations (production)": 0 },
      });
      expect(listSecrets(project)).toEqual(["one", "one", "two", "two"]);
    }
    const branches = ["avatarops/drift/production", "avatarops/drift/staging"];
    expect(project.world.pulls.map(({ head }) => head).toSorted()).toEqual(branches);
    expect(project.file("avatarops/drift/staging", "avatarops.yaml")).toContain("Desk (staging), edited.");
    expect(project.file("avatarops/drift/production", "avatarops.yaml")).toContain('"Desk, edited."');
    expect([...new Set(listStatuses(project))]).toEqual(["avatarops/production", "avatarops/staging"]);
    expect(project.problems).toEqual([]);
  });

  test("exits on GitLab with the code in the job's `allow_failure`", async () => {
    const project = await startEdited("gitlab");
    const { remote, sha } = project;
    const variables = createGitlabVariables(project);
    const job = createJob("avatarops-drift-staging", createStagingInputs(installed));
    expect(job.allow_failure).toEqual({ exit_codes: [2] });
    const rotations = createJob("avatarops-rotations-staging", {
      ...createStagingInputs(installed),
      rotations: true,
    });
    expect(await runJob(rotations, { remote, sha, variables })).toMatchObject({ exit: 0 });
    expect(listSecrets(project)).toEqual(["one", "one", "two"]);
    const proposed = await runJob(job, { remote, sha, variables });
    expect(proposed, proposed.stderr).toMatchObject({ exit: 2 });
    expect(project.world.pulls.map(({ head }) => head)).toEqual(["avatarops/drift/staging"]);
    expect(project.file("avatarops/drift/staging", "avatarops.yaml")).toContain("Desk (staging), edited.");
    expect(project.problems).toEqual([]);
  });
});

describe("jobs for a pull request from a fork", () => {
  const proposal = {
    "avatarops.yaml": `state: git+refs://origin/avatarops/state
contexts: { desk: { name: Desk, prompt: Be quick. } }
environments: { staging: { state: git+refs://origin/avatarops/staging }, production: {} }
`,
    // Packages must not be installed from a registry that a stranger chooses.
    ".npmrc": "registry=http://127.0.0.1:1/\n",
  };

  async function startFork(name: "github" | "gitea" | "gitlab") {
    const project = await startHosted(name, installed);
    const environment = { PATH: process.env.PATH };
    const applied = await project.avataropsWith({ environment }, "apply", "--auto-approve");
    expect(applied, applied.stderr).toMatchObject({ exit: 0 });
    const asked = project.emulator.requests.length;
    /** Expects no requests to the service and no writes on the host. */
    const expectNothingDone = () => {
      expect(project.emulator.requests).toHaveLength(asked);
      expect([project.world.comments, project.world.statuses]).toEqual([[], []]);
    };
    return { project, expectNothingDone };
  }

  test("show the plan in the job summary on GitHub, without an API key or a comment", async () => {
    const { project, expectNothingDone } = await startFork("github");
    const ran = await runWorkflows(github, project.fork(proposal));
    expect(listExits(ran), joinOutput(ran)).toEqual({ "plan (staging)": 0, "plan (production)": 0 });
    const summary = ran.find(({ name }) => name === "plan (production)")?.summary ?? "";
    expect(summary).toContain("<strong> quick</strong>");
    // Without access to the account, the job compares with the last applied state.
    expect(summary).toMatch(/1 (update|to update|updated)/);
    expect(summary.toLowerCase()).toContain("not compared with the account");
    expectNothingDone();
  });

  const ofForkOnGitlab = (project: Hosted) => {
    const remote = path.join(newFolder(), "avatars");
    symlinkSync(new URL(project.remote).pathname, `${remote}.git`);
    return {
      ...createGitlabVariables(project),
      ...{ CI_PROJECT_ID: "8", CI_PROJECT_PATH: "stranger/avatars" },
      ...{ CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "8", CI_MERGE_REQUEST_PROJECT_ID: "7" },
      ...{ CI_MERGE_REQUEST_PROJECT_PATH: "team/avatars", CI_MERGE_REQUEST_IID: "7" },
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      CI_MERGE_REQUEST_PROJECT_URL: `file://${remote}`,
      ...{ AVATAROPS_API_KEY: "", GITLAB_TOKEN: "" },
    };
  };

  test("show the plan in the fork's own pipeline log on GitLab", async () => {
    const { project, expectNothingDone } = await startFork("gitlab");
    const { sha } = project.fork(proposal);
    const variables = ofForkOnGitlab(project);
    const job = createJob("avatarops-plan-production", { version: installed.version });
    const planned = await runJob(job, { remote: project.forked(), sha, variables });
    expect(planned, planned.stdout + planned.stderr).toMatchObject({ exit: 0 });
    expect(planned.stdout).toMatch(/\{\+\s?quick\+\}/);
    expect(planned.stdout).toMatch(/1 (update|to update|updated)/);
    expectNothingDone();
  });

  /** Returns files that make git treat a folder as a repository with settings that run a program on fetch. */
  const hidden = (ran: string) => ({
    "avatars/HEAD": "ref: refs/heads/main\n",
    "avatars/config": `[core]\n\tbare = false\n\tworktree = ..\n[remote "origin"]\n\turl = file:///nowhere\n\tuploadpack = touch ${ran};false\n`,
    "avatars/objects/info/alternates": "../../.git/objects\n",
    "avatars/refs/heads/.keep": "",
  });

  test.each(["github", "gitea", "gitlab"] as const)(
    "ignore settings in a folder that looks like a repository on %s",
    async (name) => {
      const inFolder = { "avatars/avatarops.yaml": proposal["avatarops.yaml"] };
      const project = await startHosted(name, installed, { "avatarops.yaml": manifest, ...inFolder });
      const ran = path.join(newFolder(), "ran");
      const fork = project.fork(hidden(ran));
      if (name === "gitlab") {
        const variables = ofForkOnGitlab(project);
        const job = createJob("avatarops-plan-production", { version: installed.version, folder: "avatars" });
        const ended = await runJob(job, { remote: project.forked(), sha: fork.sha, variables });
        expect(ended, ended.stderr).toMatchObject({ exit: 0 });
      } else {
        const text = readFileSync(`${name === "github" ? github : forgejo}/avatars-plan.yml`, "utf8");
        const inside = text
          .replace("working-directory: .", "working-directory: avatars")
          .replace(/^( *)mode: plan$/m, "$&\n$1working-directory: avatars");
        expect(inside).not.toBe(text);
        const ended = await runWithAct(inside, fork);
        expect([...new Set(ended.map(({ exit }) => exit))], joinOutput(ended)).toEqual([0]);
      }
      expect(existsSync(ran)).toBe(false);
      // Proves that git runs the program if it uses these settings.
      const checkout = newFolder();
      execFileSync("git", ["clone", "--quiet", "--branch=fork", project.forked(), checkout], {
        stdio: "pipe",
      });
      const careless = { cwd: path.join(checkout, "avatars"), stdio: "pipe" } as const;
      expect(() => execFileSync("git", ["fetch", "--quiet", "origin", "main"], careless)).toThrow();
      expect(existsSync(ran)).toBe(true);
    },
  );

  test("run no code from the fork", async () => {
    const { project, expectNothingDone } = await startFork("gitea");
    const ran = path.join(newFolder(), "ran");
    const steered = `${proposal["avatarops.yaml"]}secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !exec [touch, ${ran}] }
`;
    const [plan] = await runWorkflows(forgejo, project.fork({ "avatarops.yaml": steered }));
    expect(plan).toMatchObject({ exit: 1, summary: expect.stringContaining("untrusted-command") });
    expect(existsSync(ran)).toBe(false);
    expectNothingDone();
  });
});
