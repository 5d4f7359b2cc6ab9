// @module-tag ci
/** Tests several merges within seconds. Staging may already be ahead of a production job. */
import { expect, test } from "vitest";
import { expectSuccess } from "../cli/hosting.js";
import { ada } from "./change.js";
import { listFirstLines, mergePull, padText, type ReviewTeam, startReviewTeam } from "./team.js";

const manifest = `contexts:
  desk: { name: Desk, prompt: !file prompts/desk.md }
environments:
  staging: { state: git+refs://origin/avatarops/staging, contexts: { desk: { name: Desk (staging) } } }
  production: { state: git+refs://origin/avatarops/production, needs: [staging] }
`;
const environments = ["staging", "production"];

/** Reviews and merges a prompt change. Returns a clone at the merge commit. */
async function mergeChange(team: ReviewTeam, number: number, prompt: string) {
  team.propose(number, { "prompts/desk.md": padText(prompt) });
  for (const environment of environments)
    await expectSuccess(team.review(number, { argv: ["--env", environment] }));
  mergePull(team, number);
  return team.clone();
}

test("skips an apply to production with exit code 0 if a later merge is already applied to staging", async () => {
  const team = await startReviewTeam("github", manifest, environments);
  const first = await mergeChange(team, 7, "Second.");
  const last = await mergeChange(team, 8, "Third.");
  await expectSuccess(team.applyIn(last, {}, "--env", "staging"));

  const left = await expectSuccess(team.applyIn(first, {}, "--env", "production"));
  expect(left.stdout).toBe("");
  expect(left.stderr.replaceAll(/\s+/g, " ")).toMatch(
    /Nothing to do in this run: staging already has the later commit [0-9a-f]{10}, and the run for that commit includes this change\. $/,
  );
  expect(team.comment(7)).not.toContain("nothing was applied");
  const { stdout } = await expectSuccess(team.applyIn(first, {}, "--env", "production", "--format", "json"));
  expect(JSON.parse(stdout)).toMatchObject({ exit: "done", results: [] });

  await expectSuccess(team.applyIn(last, {}, "--env", "production"));
  expect(listFirstLines(team)).toEqual({ Desk: "Third.", "Desk (staging)": "Third." });
  expect(team.standIn.problems).toEqual([]);
});

test.each([
  ["an environment", manifest, environments, ["--env", "staging"]],
  ["a project without environments", undefined, [], []],
] as const)(
  "skips an apply to %s with exit code 0 if a later merge is already applied",
  async (_, text, all, argv) => {
    const team = await startReviewTeam("github", text, all);
    const landAndClone = async (number: number, files: Readonly<Record<string, string>>) => {
      team.propose(number, files);
      await expectSuccess(team.review(number, { argv }));
      mergePull(team, number);
      return team.clone();
    };
    const first = await landAndClone(7, { "prompts/desk.md": padText("Second.") });
    const last = await landAndClone(8, { "prompts/desk.md": padText("Third.") });
    await expectSuccess(team.applyIn(last, {}, ...argv));
    const before = listFirstLines(team);

    const left = await expectSuccess(team.applyIn(first, {}, ...argv));
    expect(left.stderr.replaceAll(/\s+/g, " ")).toMatch(
      /Nothing to do in this run: (staging|the account) already has the later commit [0-9a-f]{10}, and the run for that commit includes this change\. $/,
    );
    expect(listFirstLines(team)).toEqual(before);
    expect(team.comment(7)).not.toContain("nothing was applied");
    expect(team.standIn.problems).toEqual([]);
  },
);

test("lists environments that `apply --all` skipped because a later merge is already applied", async () => {
  const team = await startReviewTeam("github", manifest, environments);
  const landAndClone = async (number: number, prompt: string) => {
    team.propose(number, { "prompts/desk.md": padText(prompt) });
    await expectSuccess(team.review(number, { argv: ["--all"] }));
    mergePull(team, number);
    return team.clone();
  };
  const first = await landAndClone(7, "Second.");
  const last = await landAndClone(8, "Third.");
  await expectSuccess(team.applyIn(last, {}, "--all"));
  const left = await expectSuccess(team.applyIn(first, {}, "--all"));
  for (const environment of environments)
    expect(left.stdout.replaceAll(/\s+/g, " ")).toContain(
      `${environment} Nothing to do in this run: ${environment} already has the later commit`,
    );
  expect(left.stderr.match(/Nothing to do in this run/g)).toHaveLength(2);
});

test("rejects an apply to production if staging has a commit from outside the branch", async () => {
  const team = await startReviewTeam("github", manifest, environments);
  const first = await mergeChange(team, 7, "Second.");
  const side = team.clone();
  side.commit({ "prompts/desk.md": padText("Tried by hand.") });
  await side.apply("--env", "staging");
  const refused = await team.applyIn(first, {}, "--env", "production");
  expect(refused, refused.stderr).toMatchObject({ exit: 7, stderr: expect.stringContaining("error[needs]") });
  expect(listFirstLines(team)).toMatchObject({ Desk: "First." });
});

const two = `contexts:
  desk: { name: Desk, prompt: !file prompts/desk.md }
  night: { name: Night, prompt: !file prompts/night.md }
environments:
  staging: { state: git+refs://origin/avatarops/staging, contexts: { desk: { name: Desk S }, night: { name: Night S } } }
  production: { state: git+refs://origin/avatarops/production, needs: [staging] }
`;

/** Merges #7 and a later commit that change different prompts, and applies both to staging. */
async function startQuick(laterIs: "a pull request" | "a push") {
  const team = await startReviewTeam("gitea", two, environments);
  team.standIn.world.writers.push(ada);
  team.propose(7, { "prompts/desk.md": padText("Second.") });
  if (laterIs === "a pull request") team.propose(8, { "prompts/night.md": padText("Dream.") });
  await expectSuccess(team.review(7, { argv: ["--all"] }));
  if (laterIs === "a pull request") await expectSuccess(team.review(8, { argv: ["--all"] }));
  mergePull(team, 7);
  const first = team.clone();
  if (laterIs === "a pull request") mergePull(team, 8);
  else {
    team.ana.commit({ "prompts/night.md": padText("Dream.") });
    team.ana.push();
  }
  const last = team.clone();
  await expectSuccess(team.applyIn(first, {}, "--env", "staging"));
  if (laterIs === "a pull request") await expectSuccess(team.applyIn(last, {}, "--env", "staging"));
  else await expectSuccess(last.run("apply", "--auto-approve", "--env", "staging"));
  return { team, first, last };
}

function approve({ standIn: { world } }: ReviewTeam, number: number): void {
  const commit = world.pulls.find((pull) => pull.number === number)?.commit ?? "";
  world.reviews.push({
    ...{ by: ada, pull: number, commit },
    at: new Date(Date.now() + 60_000).toISOString(),
  });
}

const production = ["--env", "production"];

test("applies an approved change to production even if a later commit in staging lacks approvals", async () => {
  const { team, first, last } = await startQuick("a pull request");
  approve(team, 7);
  const approved = [...production, "--require-approval", "1"];
  await expectSuccess(team.applyIn(first, {}, ...approved));
  expect(listFirstLines(team)).toMatchObject({ Desk: "Second.", Night: "Sleep." });
  expect(await team.applyIn(last, {}, ...approved)).toMatchObject({
    ...{ exit: 7, stderr: expect.stringContaining("not-approved") },
  });
  expect(team.comment(8)).toContain("nothing was applied");
  const again = await expectSuccess(team.applyIn(first, {}, ...approved));
  expect(again.stderr).toContain("Already applied.");
  expect(team.standIn.problems).toEqual([]);
});

test("applies a reviewed change to production even if a later commit in staging has no review", {
  tags: "night",
}, async () => {
  const { team, first, last } = await startQuick("a push");
  expect(await team.applyIn(last, {}, ...production)).toMatchObject({ exit: 5 });
  // The reviewed change is not applied yet.
  expect(team.comment(7)).toMatch(/production`: nothing was applied[\s\S]+context\.night/);
  await expectSuccess(team.applyIn(first, {}, ...production));
  expect(listFirstLines(team)).toMatchObject({ Desk: "Second.", Night: "Sleep." });
});
