// @module-tag ci
/** Tests that a dashboard edit blocks only the edited object. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { expectSuccess, runIn } from "../cli/hosting.js";
import { listFirstLines, mergePull, padText, startReviewTeam } from "./team.js";

describe("apply --reviewed with a dashboard edit to another object", () => {
  test("exits with 0 and lists the edit after a merge that changes no object", async () => {
    const team = await startReviewTeam();
    team.propose(7, { "README.md": "Read me.\n" });
    await expectSuccess(team.review(7));
    team.emulator.editContext("Night", { prompt: "Edited." });
    mergePull(team, 7);
    const ran = await expectSuccess(team.applyMain());
    expect(ran.stdout).toMatch(/skipped +context\.night/);
    expect(ran.stderr).not.toContain("Already applied");
    expect(listFirstLines(team)).toEqual({ Desk: "First.", Night: "Edited." });
    expect(team.standIn.problems).toEqual([]);
  });

  test("applies the reviewed change and exits with 0, and does not overwrite a later edit to the changed object", async () => {
    const team = await startReviewTeam();
    team.propose(7, { "prompts/desk.md": padText("Second.") });
    await expectSuccess(team.review(7));
    team.emulator.editContext("Night", { prompt: "Edited." });
    mergePull(team, 7);
    await expectSuccess(team.applyMain());
    expect(listFirstLines(team)).toEqual({ Desk: "Second.", Night: "Edited." });
    expect(team.comment(7)).toContain("`context.night`");

    // Repeating the same edit is a new change that #7's review does not cover.
    team.emulator.editContext("Desk", { prompt: padText("First.") });
    const again = await expectSuccess(team.applyMain());
    expect(again.stdout).toMatch(/skipped +context\.desk/);
  });

  test("applies the rest and exits with 3 if the edited object also changed in its file", async () => {
    const team = await startReviewTeam();
    team.propose(7, { "prompts/desk.md": padText("Second."), "prompts/night.md": padText("Dream.") });
    await expectSuccess(team.review(7));
    team.emulator.editContext("Night", { prompt: "Edited." });
    mergePull(team, 7);
    const ran = await team.applyMain();
    expect(ran, ran.stderr).toMatchObject({ exit: 3, stdout: expect.stringContaining("[conflicting]") });
    expect(listFirstLines(team)).toEqual({ Desk: "Second.", Night: "Edited." });

    team.propose(8, { "prompts/desk.md": padText("Third.") });
    await expectSuccess(team.review(8));
    mergePull(team, 8);
    expect(await team.applyMain()).toMatchObject({ exit: 3 });
    expect(listFirstLines(team)).toEqual({ Desk: "Third.", Night: "Edited." });
  });
});

test("exits with 0 if apply skips a dashboard edit, and with 3 if it skips a conflict", async () => {
  const team = await startReviewTeam();
  team.emulator.editContext("Night", { prompt: "Edited." });
  const apply = () => team.ana.run("apply", "--auto-approve");
  expect(await apply()).toMatchObject({ exit: 0, stdout: expect.stringContaining("[drifted]") });
  team.ana.commit({ "prompts/night.md": padText("Dream.") });
  const conflict = await apply();
  expect(conflict).toMatchObject({ exit: 3, stdout: expect.stringContaining("[conflicting]") });
  expect(conflict.stdout.replaceAll(/\s+/g, " ")).toContain("Edited in the dashboard, so apply skips it. ");
  expect(listFirstLines(team)).toEqual({ Desk: "First.", Night: "Edited." });
});

const two = `contexts:
  desk: { name: Desk, prompt: !file prompts/desk.md }
  night: { name: Night, prompt: !file prompts/night.md }
environments:
  staging: { state: git+refs://origin/avatarops/staging, contexts: { desk: { name: Desk S }, night: { name: Night S } } }
  production: { state: git+refs://origin/avatarops/production, needs: [staging] }
`;

test("names the project and environment in the commands posted for a dashboard edit", async () => {
  const team = await startReviewTeam("github", two, ["staging", "production"]);
  team.propose(7, { "prompts/desk.md": padText("Second.") });
  await expectSuccess(team.review(7, { argv: ["--all"] }));
  team.emulator.editContext("Night S", { prompt: "Edited." });
  mergePull(team, 7);
  await expectSuccess(team.applyMain({}, "--env", "staging"));
  const [, command = ""] = /`avatarops (pull context\.night [^`]+)`/.exec(team.comment(7)) ?? [];
  expect(command).toBe("pull context.night --file bots/support/avatarops.yaml --env staging");
  const { root, inProject } = team.clone();
  await expectSuccess(runIn(root, [...command.split(" "), "-y"], { environment: team.environment }));
  expect(readFileSync(`${inProject}/prompts/night.md`, "utf8")).toBe("Edited.\n");
});

describe("apply to production while staging skips an object", () => {
  test.each(["a conflict", "a hold"] as const)(
    "applies a reviewed change to another object, and prints the command that resolves %s in staging",
    async (why) => {
      const team = await startReviewTeam("github", two, ["staging", "production"]);
      const apply = (environment: string, ...argv: string[]) =>
        team.applyMain({}, "--env", environment, ...argv);
      if (why === "a conflict") team.emulator.editContext("Desk S", { prompt: padText("Edited.") });
      else
        await expectSuccess(
          team.ana.run("hold", "--reason", "incident 42", "context.desk", "--env", "staging"),
        );
      for (const [number, files] of [
        [7, { "prompts/desk.md": padText("Second.") }],
        [8, { "prompts/night.md": padText("Dream.") }],
      ] as const) {
        team.propose(number, files);
        await expectSuccess(team.review(number, { argv: ["--all"] }));
        mergePull(team, number);
      }
      expect(await apply("staging")).toMatchObject({ exit: 3 });
      const ran = await apply("production");
      expect(ran, ran.stderr).toMatchObject({ exit: 3 });
      expect(listFirstLines(team)).toMatchObject({ Desk: "First.", Night: "Dream.", "Night S": "Dream." });
      const end = why === "a conflict" ? "pull" : "release";
      expect(ran.stdout.replaceAll(/\s+/g, " ")).toContain(`\`avatarops ${end} context.desk --env staging\``);
      expect(team.comment(8)).toContain(
        `\`avatarops ${end} context.desk --env staging --file bots/support/avatarops.yaml\``,
      );

      if (why === "a conflict")
        await expectSuccess(team.clone().run("apply", "-y", "--overwrite-drift", "--env", "staging"));
      else {
        await expectSuccess(team.ana.run("release", "context.desk", "--env", "staging"));
        await expectSuccess(apply("staging"));
      }
      await expectSuccess(apply("production"));
      expect(listFirstLines(team)).toMatchObject({ Desk: "Second." });
      expect(team.standIn.problems).toEqual([]);
    },
  );

  test.each(["a conflict", "a hold"] as const)(
    "applies production-only objects without waiting if staging skipped its only change because of %s",
    async (why) => {
      const own = two.replace(
        "needs: [staging]",
        "needs: [staging], contexts: { gate: { name: Gate, prompt: Open. } }",
      );
      const team = await startReviewTeam("github", two, ["staging", "production"]);
      const apply = (environment: string) => team.applyMain({}, "--env", environment);
      if (why === "a conflict") team.emulator.editContext("Desk S", { prompt: padText("Edited.") });
      else
        await expectSuccess(
          team.ana.run("hold", "--reason", "incident 42", "context.desk", "--env", "staging"),
        );
      team.propose(7, { "prompts/desk.md": padText("Second."), "avatarops.yaml": own });
      await expectSuccess(team.review(7, { argv: ["--all"] }));
      mergePull(team, 7);

      expect(await apply("staging")).toMatchObject({ exit: 3 });
      const ran = await apply("production");
      expect(ran, ran.stderr).toMatchObject({ exit: 3 });
      expect(ran.stderr).not.toContain("Waiting until staging");
      expect(listFirstLines(team)).toMatchObject({ Desk: "First.", Gate: "Open." });
      expect(team.comment(7)).toMatch(/production`: 1 applied, 1 skipped/);

      // A re-run adds no record.
      const history = async () => (await team.clone().run("history", "--env", "staging")).stdout;
      const recorded = await history();
      expect(recorded).toMatch(/skipped +context\.desk/);
      expect(await apply("staging")).toMatchObject({ exit: 3 });
      expect(await history()).toBe(recorded);
      expect(team.standIn.problems).toEqual([]);
    },
  );

  test("is rejected without waiting if all of staging is on hold, and shows the release command", async () => {
    const team = await startReviewTeam("github", two, ["staging", "production"]);
    await expectSuccess(team.ana.run("hold", "--reason", "incident 42", "--env", "staging"));
    team.propose(7, { "prompts/desk.md": padText("Second.") });
    await expectSuccess(team.review(7, { argv: ["--all"] }));
    mergePull(team, 7);
    const { exit, stderr } = await team.applyMain({}, "--env", "production");
    expect(exit).toBe(7);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain("Release it: `avatarops release --env staging`.");
    expect(stderr).not.toContain("Waiting until staging");
  });
});
