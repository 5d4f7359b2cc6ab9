// @module-tag ci
/** One dashboard edit holds up only the object that was edited. */
import { describe, expect, test } from "vitest";
import { succeed } from "../cli/hosting.js";
import { firstLines, long, mergePull, startReviewTeam } from "./team.js";

describe("`apply --reviewed` with a dashboard edit of another object", () => {
  test("exits with 0 after a merge that changes no object, and lists the edit", async () => {
    const team = await startReviewTeam();
    team.propose(7, { "README.md": "Read me.\n" });
    await succeed(team.review(7));
    team.emulator.editContext("Night", { prompt: "Edited." });
    mergePull(team, 7);
    const ran = await succeed(team.applyMain());
    expect(ran.stdout).toMatch(/skipped +context\.night/);
    expect(firstLines(team)).toEqual({ Desk: "First.", Night: "Edited." });
    expect(team.standIn.problems).toEqual([]);
  });

  test("applies the reviewed change, exits with 0, and counts the review as applied", async () => {
    const team = await startReviewTeam();
    team.propose(7, { "prompts/desk.md": long("Second.") });
    await succeed(team.review(7));
    team.emulator.editContext("Night", { prompt: "Edited." });
    mergePull(team, 7);
    await succeed(team.applyMain());
    expect(firstLines(team)).toEqual({ Desk: "Second.", Night: "Edited." });
    expect(team.comment(7)).toContain("`context.night`");

    // The same text once more is a new change: the review of #7 is used up.
    team.emulator.editContext("Desk", { prompt: long("First.") });
    const again = await succeed(team.applyMain());
    expect(again.stdout).toMatch(/skipped +context\.desk/);
  });

  test("exits with 3 if the file of the edited object changed, and applies the rest", async () => {
    const team = await startReviewTeam();
    team.propose(7, { "prompts/desk.md": long("Second."), "prompts/night.md": long("Dream.") });
    await succeed(team.review(7));
    team.emulator.editContext("Night", { prompt: "Edited." });
    mergePull(team, 7);
    const ran = await team.applyMain();
    expect(ran, ran.stderr).toMatchObject({ exit: 3, stdout: expect.stringContaining("[conflicting]") });
    expect(firstLines(team)).toEqual({ Desk: "Second.", Night: "Edited." });

    team.propose(8, { "prompts/desk.md": long("Third.") });
    await succeed(team.review(8));
    mergePull(team, 8);
    expect(await team.applyMain()).toMatchObject({ exit: 3 });
    expect(firstLines(team)).toEqual({ Desk: "Third.", Night: "Edited." });
  });
});

test("`apply` without a review skips a dashboard edit and exits with 0, and with 3 for a conflict alone", async () => {
  const team = await startReviewTeam();
  team.emulator.editContext("Night", { prompt: "Edited." });
  const apply = () => team.ana.run("apply", "--auto-approve");
  expect(await apply()).toMatchObject({ exit: 0, stdout: expect.stringContaining("[drifted]") });
  team.ana.commit({ "prompts/night.md": long("Dream.") });
  expect(await apply()).toMatchObject({ exit: 3, stdout: expect.stringContaining("[conflicting]") });
  expect(firstLines(team)).toEqual({ Desk: "First.", Night: "Edited." });
});
