// @module-tag night
/** Tests reviews and applies in merge queues. */
import { expect, test } from "vitest";
import { expectSuccess } from "../cli/hosting.js";
import { isLong } from "../real/long.js";
import { ada } from "./change.js";
import { key, listFirstLines, mergeQueued, padText, queue, reviewQueued, startReviewTeam } from "./team.js";

test.each(isLong ? (["github", "gitlab"] as const) : (["github"] as const))(
  "applies approved merges from a merge queue on %s, and posts an outcome on each pull request",
  async (name) => {
    const team = await startReviewTeam(name);
    const { world, problems } = team.standIn;
    world.writers.push(ada);
    team.propose(7, { "prompts/night.md": padText("Dream.") });
    team.propose(8, { "prompts/desk.md": padText("Second.") });
    for (const number of [7, 8]) await team.review(number, { more: key });
    const comments = structuredClone(world.comments);
    const [one = "", two = ""] = queue(team, [7, 8], name);
    await expectSuccess(reviewQueued(team, 8, two, name));
    const status = world.statuses.at(-1);
    expect(status).toMatchObject({ commit: two, context: "avatarops/bots/support/", state: "success" });
    expect(status?.description).toMatch(/^Plan 1:\S+ signed \S+: 2 to update; 0 unchanged$/);
    expect(world.comments).toEqual(comments);

    mergeQueued(team, { 7: one, 8: two });
    const required = ["--require-approval", "1"];
    const approve = (pull: number) => {
      const commit = world.pulls.find(({ number }) => number === pull)?.commit ?? "";
      world.reviews.push({ by: ada, pull, commit, at: "2026-02-01T00:00:00Z" });
    };
    approve(8);
    const refused = await team.applyMain(key, ...required);
    expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining("error[not-approved]") });
    expect(refused.stderr).toMatch(/#7\s+has\s+0\s+of\s+1\s+approvals/);
    approve(7);
    await expectSuccess(team.applyMain(key, ...required));
    expect(listFirstLines(team)).toEqual({ Desk: "Second.", Night: "Dream." });
    const { stdout } = await team.ana.run("history", "--format", "json");
    expect(JSON.parse(stdout).records[0].pull_requests).toMatchObject([
      { number: 7 },
      { number: 8, approvers: ["ada"] },
    ]);
    for (const number of [7, 8]) expect(team.comment(number)).toContain("2 applied");
    expect(problems).toEqual([]);
  },
);

test("applies the rest of the queued pull requests in the next run after a partial failure", async () => {
  const team = await startReviewTeam();
  team.propose(7, { "prompts/night.md": padText("Dream.") });
  team.propose(8, { "prompts/desk.md": padText("Second.") });
  for (const number of [7, 8]) await team.review(number, { more: key });
  const [one = "", two = ""] = queue(team, [7, 8], "github");
  mergeQueued(team, { 7: one, 8: two });
  team.emulator.addFault("PATCH /v1/contexts/* 400");
  expect(await team.applyMain(key)).toMatchObject({ exit: 3 });
  await expectSuccess(team.applyMain(key));
  expect(listFirstLines(team)).toEqual({ Desk: "Second.", Night: "Dream." });
});
