// @module-tag night
/** Tests that `sync` skips objects on hold, especially after a rollback. */
import { expect, test } from "vitest";
import { followFor, listPrompts, readOutcomes, startTeam } from "./team.js";

const formatContexts = (one: string, other: string) =>
  `contexts:\n  desk: { name: Desk, prompt: ${one} }\n  door: { name: Door, prompt: ${other} }\n`;

test("keeps a rollback under sync until the branch contains the restored prompt", async () => {
  const team = await startTeam("include: [contexts.yaml]\n");
  const commit = (one: string, other: string) => team.commit({ "contexts.yaml": formatContexts(one, other) });
  await commit("Be kind.", "Be brief.");
  const { log } = await followFor(team, 7, async (cycle) => {
    if (cycle === 1) await commit("Be rude.", "Be brief.");
    if (cycle === 2) expect(await team.atDesk("rollback", "--to", "1", "-y")).toMatchObject({ exit: 0 });
    if (cycle === 3) {
      expect(listPrompts(team)).toEqual(["Be kind.", "Be brief."]);
      await commit("Be rude.", "Be frank.");
    }
    if (cycle === 4) {
      expect(listPrompts(team)).toEqual(["Be kind.", "Be frank."]);
      await commit("Be kind.", "Be frank.");
    }
    if (cycle === 5) await commit("Be kinder.", "Be frank.");
  });
  expect(listPrompts(team)).toEqual(["Be kinder.", "Be frank."]);
  expect(readOutcomes({ log })).toEqual([
    ...["applied", "applied", "held", "held", "unchanged", "applied", "unchanged"],
  ]);
  const held = log.find(({ outcome }) => outcome === "held");
  expect(held?.problems).toMatchObject([
    { code: "held", address: "context.desk", message: expect.stringContaining("Rolled back to serial 1") },
  ]);
});

test("creates only one history record per commit for a conflict that sync skips in every cycle", async () => {
  const team = await startTeam(
    "include: [contexts.yaml]\nenvironments:\n  staging: { state: git+refs://origin/avatarops/staging }\n  production: { needs: [staging] }\n",
  );
  team.git("remote", "add", "origin", team.repository);
  const commit = (prompt: string) =>
    team.commit({ "contexts.yaml": `contexts: { desk: { name: Desk, prompt: ${prompt} } }\n` });
  await commit("Be kind.");
  const follow = async (cycle: number) => {
    if (cycle === 1) team.emulator.editContext("Desk", { prompt: "Be quick." });
    if (cycle === 1 || cycle === 4) await commit(cycle === 1 ? "Be brief." : "Be brisk.");
  };
  await followFor(team, 7, follow, "--env", "staging", "--unpinned");
  const { stdout } = await team.atDesk("history", "--env", "staging");
  expect(stdout.match(/^Serial \d|skipped .*/gm)).toEqual([
    ...["Serial 3", "skipped  context.desk  to update [conflicting]"],
    ...["Serial 2", "skipped  context.desk  to update [conflicting]", "Serial 1"],
  ]);
});
