// @module-tag night
/** Approvals of what a merge queue made: of every pull request that was not applied yet. */
import { expect, test } from "vitest";
import { succeed } from "../cli/hosting.js";
import { ada } from "./change.js";
import { key, long, mergeQueued, queue, type ReviewTeam, reviewQueued, startReviewTeam } from "./team.js";

const oneLine = (text: string) => text.replaceAll(/[│\s]+/g, " ");

function approve({ standIn: { world } }: ReviewTeam, number: number): void {
  const commit = world.pulls.find((pull) => pull.number === number)?.commit ?? "";
  world.reviews.push({ by: ada, pull: number, commit, at: "2026-02-01T00:00:00Z" });
}

/** Pull requests 7 and 8, reviewed, planned in a queue and merged together. */
async function startMerged(name: "github" | "gitlab"): Promise<ReviewTeam> {
  const team = await startReviewTeam(name);
  team.standIn.world.writers.push(ada);
  team.propose(7, { "prompts/night.md": long("Dream.") });
  team.propose(8, { "prompts/desk.md": long("Second.") });
  for (const number of [7, 8]) await team.review(number, { more: key });
  const [one = "", two = ""] = queue(team, [7, 8], name);
  await succeed(reviewQueued(team, 8, two, name));
  mergeQueued(team, { 7: one, 8: two });
  return team;
}

test.each(["github", "gitlab"] as const)(
  "what a queue merged is applied once each of its pull requests is approved, on %s",
  async (name) => {
    const team = await startMerged(name);
    approve(team, 8);
    const refused = await team.applyMain(key, "--require-approval", "1");
    expect(refused).toMatchObject({ exit: 1, stderr: expect.stringContaining("error[not-approved]") });
    expect(oneLine(refused.stderr)).toContain("#7 has 0 of 1 approvals");
    approve(team, 7);
    await succeed(team.applyMain(key, "--require-approval", "1"));
    const { stdout } = await team.ana.run("history", "--format", "json");
    expect(JSON.parse(stdout).records[0].pull_request).toMatchObject({ number: 8, approvers: ["ada"] });
    expect(team.standIn.problems).toEqual([]);
  },
);
