// @module-tag night
/** Tests three projects in one repository on a real Gitea. The jobs review and apply all projects. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { packInto } from "../installing.js";
import { type Gitea, startGitea } from "./gitea.js";
import { quote } from "./gitea-environments.js";
import { type GiteaTeam, type Pull, reviewAll, startGiteaTeam } from "./gitea-team.js";

const createProject = (name: string, rest = "") => ({
  [`${name}/avatarops.yaml`]: `state: git+refs://origin/avatarops/${name}
contexts: { desk: { name: ${name}, prompt: !file desk.md } }
${rest}`,
});
const formatText = (name: string, prompt: string) => ({ [`${name}/desk.md`]: `${prompt}\n` });
/** Renames an object in staging, because both environments share an account. */
const environments = `environments:
  staging: { state: git+refs://origin/avatarops/support-staging, contexts: { desk: { name: trial } } }
  production: { needs: [staging] }
`;

describe("three projects on a real Gitea", { tags: ["gitea", "act"] }, () => {
  vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 600_000 });
  let temp: string;
  let gitea: Gitea;
  let team: GiteaTeam;
  beforeAll(async () => {
    temp = await mkdtemp(path.join(tmpdir(), "avatarops-projects-"));
    const version = `file:${await packInto(temp)}`;
    gitea = await startGitea();
    team = await startGiteaTeam(gitea, { temp, version, folder: "." });
  });
  afterAll(async () => {
    await gitea.close();
    await team.emulator.close();
    await rm(temp, { recursive: true });
  });
  afterEach(async () => {
    team.git("switch", "--quiet", "main");
    const planned = await team.atDesk("plan", "--all", "--detailed-exitcode");
    expect(planned, planned.stdout + planned.stderr).toMatchObject({ exit: 0 });
  });

  /** Returns the first line of each outcome comment on the pull request. */
  const results = async (pull: Pull) =>
    (await team.comments(pull, "outcome")).map((outcome) => outcome.split("\n")[0]);

  test("are planned in one comment and applied in one job", async () => {
    team.push("main", { "README.md": "Avatars\n", ".gitignore": ".avatarops/\n" });
    const pull = await team.propose("first", {
      ...reviewAll(team.workflows),
      ...{ ...createProject("billing"), ...formatText("billing", "Be exact.") },
      ...{ ...createProject("sales"), ...formatText("sales", "Be keen.") },
      ...{ ...createProject("support", environments), ...formatText("support", "Be kind.") },
    });
    const [review = ""] = await team.comments(pull, "review");
    expect(review.match(/^## Project .*/gm)).toHaveLength(4);
    await team.merge(pull);
    const log = await team.jobs(["apply", 0]);
    expect(team.prompts()).toEqual({
      ...{ billing: "Be exact.", sales: "Be keen.", support: "Be kind.", trial: "Be kind." },
    });
    quote("k. three projects", {
      review,
      outcomes: (await team.comments(pull, "outcome")).join("\n~~~\n"),
      log,
    });
    expect(await results(pull)).toEqual([
      "### `avatarops/billing/`: 1 applied; 0 unchanged",
      "### `avatarops/sales/`: 1 applied; 0 unchanged",
      "### `avatarops/support/staging`: 1 applied; 0 unchanged",
      "### `avatarops/support/production`: 1 applied; 0 unchanged",
    ]);
  });

  test("are applied except for a project on hold, and a re-run applies that project after the hold is released", async () => {
    const pull = await team.propose("held", {
      ...{
        ...formatText("billing", "Be very exact."),
        ...formatText("sales", "Be patient."),
        ...formatText("support", "Smile."),
      },
    });
    const held = await team.atDesk("hold", "--file", "sales/avatarops.yaml", "--reason", "incident 42");
    expect(held, held.stderr).toMatchObject({ exit: 0 });
    await team.merge(pull);
    const commit = team.git("rev-parse", "main");
    const log = await team.jobs(["apply", 7]);
    expect(await team.combined(commit)).toBe("failure");
    expect(team.prompts()).toMatchObject({ billing: "Be very exact.", sales: "Be keen.", support: "Smile." });
    const first = await team.comments(pull, "outcome");
    quote("k. one on hold", { outcomes: first.join("\n~~~\n"), log });
    expect(first.find((outcome) => outcome.includes("avatarops/sales/"))).toMatch(
      /nothing was applied\n[\s\S]*incident `?42/,
    );
    const released = await team.atDesk("release", "--file", "sales/avatarops.yaml");
    expect(released, released.stderr).toMatchObject({ exit: 0 });
    await team.rerun(commit);
    const again = await team.jobs(["apply", 0]);
    expect(await team.combined(commit)).toBe("success");
    expect(team.prompts()).toMatchObject({ sales: "Be patient." });
    const after = await team.comments(pull, "outcome");
    quote("k. again", { outcomes: after.join("\n~~~\n"), log: again });
    expect(after.filter((outcome) => outcome.includes("Earlier runs"))).toEqual([
      expect.stringMatching(/^### `avatarops\/sales\/`: 1 applied/),
    ]);
  });

  test("are applied concurrently after two merges, with separate outcome comments", async () => {
    const pulls = [
      await team.propose("quick-sales", formatText("sales", "Be quick.")),
      await team.propose("quick-support", formatText("support", "Be calm.")),
    ];
    const [sales, support] = pulls as [Pull, Pull];
    for (const pull of pulls) expect((await team.comments(pull, "review"))[0]).not.toContain("billing");
    for (const pull of pulls) await team.merge(pull);
    const running = [await team.startJob(), await team.startJob()];
    const ended = await Promise.all(running.map((run) => run()));
    const outcomes = [
      ...(await team.comments(sales, "outcome")),
      ...(await team.comments(support, "outcome")),
    ];
    quote("k. two merges", { outcomes: outcomes.join("\n~~~\n"), jobs: ended });
    expect(ended, JSON.stringify(ended)).toMatchObject(
      running.map(() => ({ job: "apply", ran: { exit: 0 } })),
    );
    expect(team.prompts()).toMatchObject({ sales: "Be quick.", support: "Be calm.", trial: "Be calm." });
    expect(outcomes.join("\n")).not.toContain("nothing was applied");
    expect(await results(sales)).toEqual(["### `avatarops/sales/`: 1 applied; 0 unchanged"]);
    expect(await results(support)).toEqual([
      "### `avatarops/support/staging`: 1 applied; 0 unchanged",
      "### `avatarops/support/production`: 1 applied; 0 unchanged",
    ]);
  });
});
