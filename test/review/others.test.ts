// @module-tag night
/** Which other pull requests a review names, and what it says of the commits of merge queues. */
import { expect, test } from "vitest";
import { saying, succeed } from "../cli/hosting.js";
import { isLong } from "../real/long.js";
import { ada } from "./change.js";
import type { StoredPull } from "./stand-in.js";
import {
  firstLines,
  key,
  long,
  mergeQueued,
  queue,
  type ReviewTeam,
  reviewQueued,
  startReviewTeam,
} from "./team.js";

const lists = ({ standIn }: ReviewTeam) =>
  standIn.requests.filter((one) => /^GET .*(issues|merge_requests)\/\d+\/(comments|notes)/.test(one)).length;

test.each(["github", "gitlab", "gitea"] as const)(
  "the comment names other open pull requests whose last review changes the same objects, on %s",
  { tags: "night" },
  async (name) => {
    const team = await startReviewTeam(name);
    const { world, problems } = team.standIn;
    team.propose(7, { "prompts/night.md": long("Dream.") });
    team.propose(8, { "prompts/desk.md": long("Second."), "prompts/night.md": long("Wake.") });
    for (const number of [7, 8]) expect(await team.review(number, { more: key })).toMatchObject({ exit: 0 });
    expect(team.comment(7)).not.toContain("Other open");
    const [page] =
      /http\S+?\/team\/avatars\S*?\/(pull|pulls|merge_requests)\/7(?=>)/.exec(team.comment(8)) ?? [];
    const said = (objects: string) =>
      `> **Other open pull requests** change the same objects. Whichever is merged last needs a new review:\n> - [#7](<${page}>): ${objects}\n\n### Plan`;
    expect(team.comment(8)).toContain(said("`context.night`"));
    expect(page).toContain(team.standIn.options.webUrl);

    // A team with many pull requests: no more than 20 are looked at.
    const [pull] = world.pulls as [StoredPull];
    for (let number = 100; number < 140; number += 1)
      world.pulls.push({ ...pull, number, head: `b${number}` });
    const before = lists(team);
    await team.review(8, { more: key });
    expect(lists(team) - before).toBeLessThan(26);
    expect(problems).toEqual([]);
  },
);

test("a host that cannot say what else is open does not fail the review", { tags: "night" }, async () => {
  const team = await startReviewTeam();
  team.propose(7, { "prompts/night.md": long("Dream.") });
  team.standIn.fail({ on: /pulls\?.*sort=updated/, times: 9, answer: { status: 500 } });
  expect(await team.review(7)).toMatchObject({
    exit: 0,
    stderr: saying("It could not be found out"),
  });
  expect(team.comment(7)).toContain("### Plan");
});

test.each(isLong ? (["github", "gitlab"] as const) : (["github"] as const))(
  "what a queue merged is applied once each of its pull requests is approved, and told on each, on %s",
  async (name) => {
    const team = await startReviewTeam(name);
    const { world, problems } = team.standIn;
    world.writers.push(ada);
    team.propose(7, { "prompts/night.md": long("Dream.") });
    team.propose(8, { "prompts/desk.md": long("Second.") });
    for (const number of [7, 8]) await team.review(number, { more: key });
    const comments = structuredClone(world.comments);
    const [one = "", two = ""] = queue(team, [7, 8], name);
    await succeed(reviewQueued(team, 8, two, name));
    const status = world.statuses.at(-1);
    expect(status).toMatchObject({ commit: two, context: "avatarops/bots/support", state: "success" });
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
    expect(refused).toMatchObject({ exit: 1, stderr: expect.stringContaining("error[not-approved]") });
    expect(refused.stderr).toMatch(/#7\s+has\s+0\s+of\s+1\s+approvals/);
    approve(7);
    await succeed(team.applyMain(key, ...required));
    expect(firstLines(team)).toEqual({ Desk: "Second.", Night: "Dream." });
    const { stdout } = await team.ana.run("history", "--format", "json");
    expect(JSON.parse(stdout).records[0].pull_request).toMatchObject({ number: 8, approvers: ["ada"] });
    for (const number of [7, 8]) expect(team.comment(number)).toContain("2 applied");
    expect(problems).toEqual([]);
  },
);

test("an apply that failed for a part is run again, and applies what is left of several pull requests", async () => {
  const team = await startReviewTeam();
  team.propose(7, { "prompts/night.md": long("Dream.") });
  team.propose(8, { "prompts/desk.md": long("Second.") });
  for (const number of [7, 8]) await team.review(number, { more: key });
  const [one = "", two = ""] = queue(team, [7, 8], "github");
  mergeQueued(team, { 7: one, 8: two });
  team.emulator.addFault("PATCH /v1/contexts/* 400");
  expect(await team.applyMain(key)).toMatchObject({ exit: 3 });
  await succeed(team.applyMain(key));
  expect(firstLines(team)).toEqual({ Desk: "Second.", Night: "Dream." });
});
