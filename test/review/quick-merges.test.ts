// @module-tag ci
/** Several merges within seconds: each production job finds what staging has by then. */
import { expect, test } from "vitest";
import { succeed } from "../cli/hosting.js";
import { firstLines, long, mergePull, type ReviewTeam, startReviewTeam } from "./team.js";

const manifest = `contexts:
  desk: { name: Desk, prompt: !file prompts/desk.md }
environments:
  staging: { state: git+refs://origin/avatarops/staging, contexts: { desk: { name: Desk (staging) } } }
  production: { state: git+refs://origin/avatarops/production, needs: [staging] }
`;
const environments = ["staging", "production"];

/** Reviews and merges a change of the prompt, and returns a clone at its merge commit. */
async function land(team: ReviewTeam, number: number, prompt: string) {
  team.propose(number, { "prompts/desk.md": long(prompt) });
  for (const environment of environments)
    await succeed(team.review(number, { argv: ["--env", environment] }));
  mergePull(team, number);
  return team.clone();
}

test("leaves production to the run of a later merge that staging has already, with exit code 0 and one line", async () => {
  const team = await startReviewTeam("github", manifest, environments);
  const first = await land(team, 7, "Second.");
  const last = await land(team, 8, "Third.");
  await succeed(team.applyIn(last, {}, "--env", "staging"));

  const left = await succeed(team.applyIn(first, {}, "--env", "production"));
  expect(left.stdout).toBe("");
  expect(left.stderr.replaceAll(/\s+/g, " ")).toMatch(
    /Nothing to do in this run: staging has the later commit [0-9a-f]{10} already, whose own run applies everything\. $/,
  );
  expect(team.comment(7)).not.toContain("nothing was applied");
  const { stdout } = await succeed(team.applyIn(first, {}, "--env", "production", "--format", "json"));
  expect(JSON.parse(stdout)).toMatchObject({ exit: "done", results: [] });

  await succeed(team.applyIn(last, {}, "--env", "production"));
  expect(firstLines(team)).toEqual({ Desk: "Third.", "Desk (staging)": "Third." });
  expect(team.standIn.problems).toEqual([]);
});

test.each([
  ["an environment", manifest, environments, ["--env", "staging"]],
  ["a project without environments", undefined, [], []],
] as const)(
  "leaves %s to a later merge that was applied first, with exit code 0 and one line",
  async (_, text, all, argv) => {
    const team = await startReviewTeam("github", text, all);
    const landed = async (number: number, files: Readonly<Record<string, string>>) => {
      team.propose(number, files);
      await succeed(team.review(number, { argv }));
      mergePull(team, number);
      return team.clone();
    };
    const first = await landed(7, { "prompts/desk.md": long("Second.") });
    const last = await landed(8, { "prompts/desk.md": long("Third.") });
    await succeed(team.applyIn(last, {}, ...argv));
    const before = firstLines(team);

    const left = await succeed(team.applyIn(first, {}, ...argv));
    expect(left.stderr.replaceAll(/\s+/g, " ")).toMatch(
      /Nothing to do in this run: (staging|the account) has the later commit [0-9a-f]{10} already, whose own run applies everything\. $/,
    );
    expect(firstLines(team)).toEqual(before);
    expect(team.comment(7)).not.toContain("nothing was applied");
    expect(team.standIn.problems).toEqual([]);
  },
);

test("refuses production if staging has a commit that is not on the branch", async () => {
  const team = await startReviewTeam("github", manifest, environments);
  const first = await land(team, 7, "Second.");
  const side = team.clone();
  side.commit({ "prompts/desk.md": long("Tried by hand.") });
  await side.apply("--env", "staging");
  const refused = await team.applyIn(first, {}, "--env", "production");
  expect(refused, refused.stderr).toMatchObject({ exit: 1, stderr: expect.stringContaining("error[needs]") });
  expect(firstLines(team)).toMatchObject({ Desk: "First." });
});
