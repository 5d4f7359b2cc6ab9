// @module-tag ci
/**
 * Tests that apply rejects an unapproved merge until the review of a later, approved pull request includes its change.
 */
import { describe, expect, test } from "vitest";
import { expectSuccess } from "../cli/hosting.js";
import { isLong } from "../real/long.js";
import { ada } from "./change.js";
import { listFirstLines, mergePull, padText, type ReviewTeam, startReviewTeam } from "./team.js";

const hosts = isLong ? (["github", "gitlab", "gitea"] as const) : (["github"] as const);

/** Merges #7 without an approval, so apply rejects it. Then opens #8, whose review shows both changes. */
async function startRefused(name: (typeof hosts)[number]): Promise<ReviewTeam> {
  const team = await startReviewTeam(name);
  team.standIn.world.writers.push(ada);
  team.propose(7, { "prompts/desk.md": padText("Second.") });
  await expectSuccess(team.review(7));
  mergePull(team, 7);
  expect(await apply(team)).toMatchObject({ exit: 7, stderr: expect.stringContaining("not-approved") });
  expect(team.comment(7)).toContain("nothing was applied");
  const advice =
    name === "gitea"
      ? "This host does not accept approvals after a merge, so"
      : "Have others approve the pull request and run the job again, if the host accepts approvals after a merge, or";
  expect(team.comment(7)).toContain(
    `${advice} get the next pull request approved (its review also shows this change), or run`,
  );
  team.propose(8, { "prompts/night.md": padText("Dream.") });
  return team;
}

const apply = (team: ReviewTeam) => team.applyMain({}, "--require-approval", "1");

function approve({ standIn: { world } }: ReviewTeam, number: number, afterMs: number): void {
  const commit = world.pulls.find((pull) => pull.number === number)?.commit ?? "";
  world.reviews.push({ by: ada, pull: number, commit, at: new Date(Date.now() + afterMs).toISOString() });
}

describe.each(hosts)("unapproved merge on %s", (name) => {
  test("is applied together with a later approved change, and its comment is updated", async () => {
    const team = await startRefused(name);
    await expectSuccess(team.review(8));
    approve(team, 8, 60_000);
    mergePull(team, 8);
    await expectSuccess(apply(team));
    expect(listFirstLines(team)).toEqual({ Desk: "Second.", Night: "Dream." });
    for (const number of [7, 8]) expect(team.comment(number)).toContain("2 applied");
    expect(team.standIn.problems).toEqual([]);
  });

  test("blocks a later change whose approval is older than its review", async () => {
    const team = await startRefused(name);
    approve(team, 8, -60_000);
    await expectSuccess(team.review(8));
    mergePull(team, 8);
    const refused = await apply(team);
    expect(refused, refused.stderr).toMatchObject({ exit: 7 });
    const text = refused.stderr.replaceAll(/[│\s]+/g, " ");
    expect(text).toMatch(
      /pull request #7 has 0 of 1 approvals for its last commit [0-9a-f]{10}\. Pull request #8, which also shows the change, has 0 of 1 approvals for its last commit [0-9a-f]{10}, not counting ada \(approved before this plan was shown\)\. /,
    );
    expect(listFirstLines(team)).toEqual({ Desk: "First.", Night: "Sleep." });
  });

  test("is applied with a later approved change even if that change's review is re-run after the approval", async () => {
    const team = await startRefused(name);
    await expectSuccess(team.review(8));
    const { statuses } = team.standIn.world;
    const first = statuses.at(-1);
    Object.assign(first ?? {}, { at: new Date(Date.now() - 120_000).toISOString() });
    approve(team, 8, -60_000);
    await expectSuccess(team.review(8));
    mergePull(team, 8);
    await expectSuccess(apply(team));
    expect(listFirstLines(team)).toEqual({ Desk: "Second.", Night: "Dream." });
  });
});
