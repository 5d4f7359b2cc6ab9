// @module-tag night
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { packInto } from "../installing.js";
import { readLastCommit } from "../pipelines/commit.js";
import { type Gitea, startGitea } from "./gitea.js";
import { type GiteaTeam, type Pull, reviewAll, startGiteaTeam } from "./gitea-team.js";

/*
 * Tests ten working days of a team on a real Gitea, with the unchanged workflow in examples/ci/forgejo in jobs of Gitea
 * Actions. Each day continues from the previous one and ends with an empty plan.
 */

/** Returns the project's files with optional further settings. */
const createFiles = (settings = "") => ({
  "support/avatarops.yaml": `state: git+refs://origin/avatarops/production
contexts:
  desk: { name: Desk, prompt: !file desk.md }
  night: { name: Night, prompt: !file night.md }
secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }
${settings}`,
});
const createDeskFiles = (prompt: string) => ({ "support/desk.md": `${prompt}\n` });
const createNight = (prompt: string) => ({ "support/night.md": `${prompt}\n` });
const approved = "reviews: { require_approval: 1 }\n";

describe("fortnight on a real Gitea", { tags: ["gitea", "act"] }, () => {
  vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 600_000 });
  let temp: string;
  let gitea: Gitea;
  let team: GiteaTeam;
  beforeAll(async () => {
    temp = await mkdtemp(path.join(tmpdir(), "avatarops-fortnight-"));
    const version = `file:${await packInto(temp)}`;
    gitea = await startGitea();
    team = await startGiteaTeam(gitea, { temp, version });
  });
  afterAll(async () => {
    await gitea.close();
    await team.emulator.close();
    await rm(temp, { recursive: true });
  });
  // Checks that the plan is empty after each day (rule 5 in docs/rules.md).
  afterEach(async () => {
    team.git("switch", "--quiet", "main");
    const planned = await team.atDesk("plan", "--detailed-exitcode");
    expect(planned, planned.stdout + planned.stderr).toMatchObject({ exit: 0 });
  });

  /** Squash commit from the first Tuesday. */
  let squashed: string;
  /** Pull request that stays open from the first Tuesday. */
  let kinder: Pull;

  test("applies unreviewed changes manually after printing the plan (Monday)", async () => {
    team.push("main", {
      ...team.workflows,
      "support/.gitignore": ".avatarops/\n",
      ...{ ...createFiles(), ...createDeskFiles("Be kind."), ...createNight("Sleep.") },
    });
    expect(await team.jobs(["apply", 7])).toContain("not-reviewed");
    expect(team.prompts()).toEqual({});
    await team.applyByHand();
    expect(team.prompts()).toEqual({ Desk: "Be kind.", Night: "Sleep." });
    expect(team.secrets()).toEqual(["first-key"]);
  });

  test("plans and applies with avatarops built from a commit in the jobs (Monday)", async () => {
    const { version } = team.machine;
    team.machine.version = readLastCommit();
    const pull = await team.propose("commit", createDeskFiles("Be kind and clear."));
    const [plan] = await team.comments(pull, "review");
    expect(plan).toContain("### Plan: 1 to update");
    await team.merge(pull);
    await team.jobs(["apply", 0]);
    expect(team.prompts()).toMatchObject({ Desk: "Be kind and clear." });
    team.machine.version = version;
  });

  test("reviews a change twice in one comment and applies it after a squash merge (Tuesday)", async () => {
    kinder = await team.propose("kinder", createDeskFiles("Be kinder."));
    const head = team.push("kinder", createDeskFiles("Be very kind."));
    await team.jobs(["plan", 0]);
    expect(await team.comments(kinder, "review")).toEqual([expect.stringContaining("very")]);
    expect(await team.statuses(head)).toMatchObject([
      {
        ...{ context: "avatarops/support/", status: "success" },
        description: expect.stringMatching(/^Plan 1:\S+ signed \S+: 1 to update/),
      },
    ]);
    await team.approve(team.ben, kinder);
    await team.merge(kinder);
    squashed = team.git("rev-parse", "HEAD");
    await team.jobs(["apply", 0]);
    expect(team.prompts()).toMatchObject({ Desk: "Be very kind." });
    expect(await team.comments(kinder, "outcome")).toEqual([
      expect.stringMatching(/^### `avatarops\/support\/`: 1 applied; 2 unchanged\n/),
    ]);
  });

  test("plans an outdated branch's merge result, and applies the plan after a rebase (Wednesday)", async () => {
    const sleep = await team.propose("sleep", createNight("Sleep well."));
    const dream = await team.propose("dream", createNight("Dream."));
    const short = await team.propose("short", createDeskFiles("Be kind and brief."));
    await team.merge(short, { Do: "merge" });
    await team.jobs(["apply", 0]);
    const tip = team.git("rev-parse", "main");
    team.git("switch", "--quiet", "sleep");
    team.push("sleep", createNight("Sleep very well."));
    await team.jobs(["plan", 0]);
    const [behind] = await team.comments(sleep, "review");
    expect(behind).toContain("### Plan: 1 to update; 2 unchanged\n");
    expect(behind).not.toContain("context.desk");
    expect(behind).toContain(`, merged with \`main\` at [\`${tip.slice(0, 10)}\`]`);
    await team.merge(sleep, { Do: "rebase" });
    await team.jobs(["apply", 0]);
    expect(team.prompts()).toEqual({ Desk: "Be kind and brief.", Night: "Sleep very well." });
    await team.close(team.ada, dream);
  });

  test("does not apply a closed pull request whose commit reaches main", async () => {
    const rude = await team.propose("rude", createDeskFiles("Be rude."));
    await team.close(team.ben, rude);
    team.git("switch", "--quiet", "main");
    team.git("merge", "--quiet", "--no-ff", "--message=By hand", "rude");
    team.git("push", "--quiet", "origin", "main");
    expect(await team.jobs(["apply", 7])).toContain("not-reviewed");
    team.push("main", createDeskFiles("Be kind and brief."));
    await team.jobs(["apply", 0]);
    expect(team.prompts()).toMatchObject({ Desk: "Be kind and brief." });
  });

  test("completes a partly failed apply when its job is re-run (Friday)", async () => {
    const { emulator } = team;
    const pull = await team.propose("friday", {
      ...createDeskFiles("Be kind on Fridays."),
      ...createNight("Sleep in."),
    });
    emulator.addFault("PATCH /v1/contexts/* 400");
    await team.merge(pull);
    await team.jobs(["apply", 3]);
    const [outcome] = await team.comments(pull, "outcome");
    expect(outcome).toMatch(/^### `avatarops\/support\/`: 1 applied, 1 failed; 1 unchanged\n/);
    await team.rerun(team.git("rev-parse", "main"));
    await team.jobs(["apply", 0]);
    expect(team.prompts()).toEqual({ Desk: "Be kind on Fridays.", Night: "Sleep in." });
  });

  test("counts only approvals of the last commit by users with write access (Monday)", async () => {
    const { ben, rita, owner } = team;
    const pull = await team.propose("approvals", {
      ...createFiles(approved),
      ...createDeskFiles("Be kind. Ask first."),
    });
    await team.approve(ben, pull);
    team.push("approvals", createDeskFiles("Be kind. Ask first, and listen."));
    await team.jobs(["plan", 0]);
    await team.approve(rita, pull);
    const { id } = await team.approve(owner, pull);
    const dismissal = `${team.where}/pulls/${pull.number}/reviews/${id}/dismissals`;
    await gitea.api(owner, "POST", dismissal, { message: "By mistake" });
    await team.merge(pull);
    const refused = (await team.jobs(["apply", 7])).replaceAll(/[│\s]+/g, " ");
    expect(refused).toContain(`pull request #${pull.number} has 0 of 1 approvals`);
    expect(refused).toContain("ben (approved an earlier commit)");
    expect(refused).toContain("rita (is not allowed to push to the repository)");
    expect(await team.comments(pull, "outcome")).toEqual([
      expect.stringMatching(/^### `avatarops\/support\/`: nothing was applied\n[\s\S]*`not-approved`/),
    ]);
    await team.applyByHand();

    const second = await team.propose("second", createDeskFiles("Ask first, and listen."));
    await team.approve(ben, second);
    await team.merge(second);
    await team.jobs(["apply", 0]);
    const { stdout } = await team.atDesk("history", "--format", "json");
    expect(JSON.parse(stdout).records[0].pull_requests).toMatchObject([
      { number: second.number, author: "ada", approvers: ["ben"] },
    ]);
  });

  test("proposes drift, snoozes a closed proposal and sends a rotated key (Tuesday)", async () => {
    const { emulator, environment, ada } = team;
    const open = () => gitea.api<Pull[]>(ada, "GET", `${team.where}/pulls?state=open`);
    const morning = async () => {
      await team.morning();
      return team.jobs(["drift", 0], ["rotations", 0]);
    };
    emulator.editContext("Desk", { prompt: "Ask first. Listen." });
    environment.LLM_API_KEY = "second-key";
    await morning();
    expect(team.secrets()).toContain("second-key");
    const [first] = await open();
    if (!first) throw new Error("no pull request");
    await team.close(ada, first);
    expect(await morning()).toContain(`Pull request ${first.number}`);
    expect(await open()).toEqual([]);
    emulator.editContext("Desk", { prompt: "Ask first. Listen well." });
    await morning();
    const [second] = await open();
    if (!second) throw new Error("no pull request");
    await team.merge(second);
    const written = emulator.requests.filter(({ method }) => method !== "GET").length;
    await team.jobs(["apply", 0]);
    expect(emulator.requests.filter(({ method }) => method !== "GET")).toHaveLength(written);
    expect(team.git("show", "HEAD:support/desk.md")).toBe("Ask first. Listen well.");
  });

  test("plans a pull request with a single check while scheduled jobs run (Wednesday)", async () => {
    const { ada, owner, where } = team;
    type Runs = { workflow_runs: { id: number; event: string; status: string; conclusion?: string }[] };
    const lastScheduled = async () => {
      const runs = await gitea.api<Runs>(owner, "GET", `${where}/actions/runs?event=schedule`);
      return runs.workflow_runs.toSorted((a, b) => b.id - a.id)[0];
    };
    await team.morning();
    const running = [await team.startJob(), await team.startJob()];
    const pull = await team.propose("early", createDeskFiles("Ask first. Listen well. Smile."));
    expect(await lastScheduled()).toMatchObject({ status: "in_progress" });
    for (const end of running) expect((await end()).ran).toMatchObject({ exit: 0 });
    expect(await lastScheduled()).toMatchObject({ status: "completed", conclusion: "success" });
    expect(await team.checks(pull.head.sha)).toEqual(["Avatars / plan (pull_request): success"]);
    await team.close(ada, pull);
  });

  test("stops applies during a hold (Wednesday)", async () => {
    const { ben } = team;
    expect(await team.atDesk("hold", "--reason", "incident 42")).toMatchObject({ exit: 0 });
    const sorry = await team.propose("sorry", createDeskFiles("Say sorry first."));
    const [shown] = await team.comments(sorry, "review");
    expect(shown).toMatch(/All objects are on hold[\s\S]*incident `?42/);
    await team.approve(ben, sorry);
    await team.merge(sorry);
    expect(await team.jobs(["apply", 7])).toContain("error[held]");
    const [outcome] = await team.comments(sorry, "outcome");
    expect(outcome).toMatch(/nothing was applied\n[\s\S]*incident `?42[\s\S]*`held`/);
    expect(await team.atDesk("release")).toMatchObject({ exit: 0 });
    await team.rerun(team.git("rev-parse", "main"));
    await team.jobs(["apply", 0]);
    expect(team.prompts()).toMatchObject({ Desk: "Say sorry first." });
  });

  test("plans but does not apply a pull request from a fork, and skips an outdated apply job (Thursday)", async () => {
    const { ben, where } = team;
    await gitea.api(ben, "POST", `${where}/forks`, {});
    team.git("switch", "--quiet", "main");
    team.push("brief", createDeskFiles("Apologise."), gitea.remoteOf(ben, `${ben.name}/${gitea.repo}`));
    const pull = await team.open(`${ben.name}:brief`, ben);
    expect(await team.jobs(["plan", 0])).toContain("Apologise.");
    expect(await gitea.api(ben, "GET", `${where}/issues/${pull.number}/comments`)).toEqual([]);
    await team.merge(pull);
    expect(await team.jobs(["apply", 7])).toContain("comes from a fork");
    await team.applyByHand();
    await team.rerun(squashed);
    expect(await team.jobs(["apply", 0])).toContain("Nothing to do in this run");
    expect(team.prompts()).toMatchObject({ Desk: "Apologise." });
  });

  test("holds a rolled-back prompt, and applies a large reviewed change (Friday)", async () => {
    const { ben } = team;
    const { records } = JSON.parse((await team.atDesk("history", "--format", "json")).stdout);
    const rolled = await team.atDesk("rollback", "--to", String(records[1].serial), "-y", "context.desk");
    expect(rolled, rolled.stderr).toMatchObject({ exit: 0 });
    expect(team.prompts()).toMatchObject({ Desk: "Say sorry first." });
    expect((await team.atDesk("plan")).stdout).toContain("on hold");
    team.git("switch", "--quiet", "--create", "back");
    const wrote = await team.atDesk("pull", "context.desk");
    expect(wrote, wrote.stderr).toMatchObject({ exit: 0 });
    team.push("back", {});
    const pull = await team.open("back", team.ada);
    await team.jobs(["plan", 0]);
    await team.approve(ben, pull);
    await team.merge(pull);
    await team.jobs(["apply", 0]);
    expect((await team.atDesk("plan")).stdout).not.toContain("on hold");

    const narrow = `${approved}thresholds: { max_percent: 50, min_objects: 3 }\n`;
    const large = await team.propose("large", {
      ...createFiles(narrow),
      ...createDeskFiles("Goodbye."),
      ...createNight("Goodnight."),
    });
    await team.approve(ben, large);
    await team.merge(large);
    await team.jobs(["apply", 0]);
    expect(team.prompts()).toEqual({ Desk: "Goodbye.", Night: "Goodnight." });
  });

  test("reviews several projects in one comment and applies them in one job (Friday)", async () => {
    const pull = await team.propose("projects", {
      ...reviewAll(team.workflows),
      "billing/avatarops.yaml": `state: git+refs://origin/avatarops/billing
contexts: { bill: { name: Bill, prompt: Be exact. } }
`,
      ...createDeskFiles("Hello again."),
    });
    const [review] = await team.comments(pull, "review");
    expect(review).toMatch(/billing\/avatarops\.yaml[\s\S]*support\/avatarops\.yaml/);
    await team.approve(team.ben, pull);
    await team.merge(pull);
    await team.jobs(["apply", 0]);
    expect(team.prompts()).toEqual({ Bill: "Be exact.", Desk: "Hello again.", Night: "Goodnight." });
    expect((await team.comments(pull, "outcome")).map((text) => text.split("\n")[0])).toEqual([
      "### `avatarops/billing/`: 1 applied; 0 unchanged",
      "### `avatarops/support/`: 1 applied; 2 unchanged",
    ]);
    expect(await team.checks(team.git("rev-parse", "HEAD"))).toEqual([
      "Avatars, apply / apply (push): success",
    ]);
  });
});
