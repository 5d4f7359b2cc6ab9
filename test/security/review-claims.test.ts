// @module-tag ci
/** What others could say of what was reviewed, in comments and statuses. */
import { expect, test } from "vitest";
import { guest, write } from "../review/stand-in.js";
import { key, long, queue, reviewQueued, startReviewTeam } from "../review/team.js";

test("a comment that somebody forged, or a job without the key, says nothing of another pull request", async () => {
  const team = await startReviewTeam();
  const { world } = team.standIn;
  team.propose(7, { "prompts/night.md": long("Dream.") });
  team.propose(8, { "prompts/desk.md": long("Second."), "prompts/night.md": long("Wake.") });
  await team.review(7, { more: key });
  const [own = ""] = team.comment(7).split("\n");
  for (const [by, marker] of [
    [guest, own],
    [world.me, own.replace(/ listed=\S+/, "")],
    [world.me, own.replace("context.night%22", "context.desk%22")],
    [world.me, own.replace(/commit=\w/, "commit=g")],
  ] as const) {
    world.comments = world.comments.filter(({ pull }) => pull !== 7);
    write(world, by, marker, 7);
    expect(await team.review(8, { more: key })).toMatchObject({ exit: 0 });
    expect(team.comment(8), marker).not.toContain("Other open");
  }
});

test("what a merge queue combines to something that nobody has reviewed is not applied", async () => {
  const team = await startReviewTeam();
  const { world } = team.standIn;
  const text = long("First.");
  team.propose(7, { "prompts/desk.md": text.replace("First.", "Second.") });
  team.propose(8, { "prompts/desk.md": text.replace("Step 19 is", "Step 19 is not") });
  for (const number of [7, 8]) await team.review(number, { more: key });
  const [, two = ""] = queue(team, [7, 8], "github");
  const reviewed = await reviewQueued(team, 8, two, "github");
  expect(reviewed).toMatchObject({ exit: 0 });
  const ofQueue = world.statuses.at(-1);
  expect(ofQueue).toMatchObject({ commit: two, state: "success" });
  team.ana.git("push", "--quiet", "origin", `${two}:refs/heads/main`);
  Object.assign(world.pulls[1] ?? {}, { open: false, merged: two });
  const refused = await team.applyMain(key);
  expect(refused).toMatchObject({ exit: 5 });
  // A job says that it was reviewed, without the key or of another commit.
  const { commit = "" } = world.pulls[1] ?? {};
  for (const description of [ofQueue?.description ?? "", "Plan 1:AAAAAAAAAAAAAAAAAAAAAA: 1 to update"]) {
    world.statuses.push({ ...(ofQueue as (typeof world.statuses)[number]), commit, description });
    expect((await team.applyMain(key)).exit).toBe(5);
  }
});
