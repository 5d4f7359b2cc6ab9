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

test("counts dashboard edits in the metrics while an object is on hold", async () => {
  const team = await startTeam("include: [contexts.yaml]\n");
  const commit = (one: string, more: string) =>
    team.commit({ "contexts.yaml": `${formatContexts(one, "Be brief.")}${more}` });
  const lamp = (prompt: string) => `  lamp: { name: Lamp, prompt: ${prompt} }\n`;
  await commit("Be kind.", lamp("Be bright."));
  const gauges: unknown[] = [];
  const { log } = await followFor(team, 4, async (cycle, { log: [started] }) => {
    const metrics = await (await fetch(`${started?.listens_on}/metrics`)).text();
    gauges.push(/^avatarops_sync_drifted_objects (.*)$/m.exec(metrics)?.[1]);
    if (cycle === 1) await commit("Be rude.", lamp("Be bright."));
    if (cycle === 2) await team.atDesk("rollback", "--to", "1", "-y");
    if (cycle === 3) {
      team.emulator.editContext("Door", { prompt: "Edited." });
      await commit("Be rude.", lamp("Be dim."));
    }
  });
  expect(readOutcomes({ log })).toEqual(["applied", "applied", "held", "held"]);
  expect(gauges).toEqual(["0", "0", "0", "1"]);
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
