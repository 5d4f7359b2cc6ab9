// @module-tag ci
/** Tests that `sync` notices lost checkouts, as after a cleanup of the temporary folder. */
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { followFor, listPrompts, readOutcomes, startTeam, type Team } from "./team.js";

const formatContext = (name: string, prompt: string) =>
  `contexts:\n  ${name.toLowerCase()}: { name: ${name}, prompt: ${prompt} }\n`;

async function startWithTwo(settings = ""): Promise<Team> {
  const team = await startTeam(`${settings}include: ["contexts/*.yaml"]\n`);
  await team.commit({
    "contexts/desk.yaml": formatContext("Desk", "Be kind."),
    "contexts/door.yaml": formatContext("Door", "Be brief."),
  });
  return team;
}

/** Removes a path, relative to each of the process's checkouts. */
function removeFromCheckouts({ repository }: Team, name: string): void {
  const work = path.join(repository, "..", "work");
  for (const folder of readdirSync(work))
    for (const checkout of readdirSync(path.join(work, folder)))
      rmSync(path.join(work, folder, checkout, name), { recursive: true });
}

test.each([
  ["a file of its checkout", (team: Team) => removeFromCheckouts(team, "contexts/door.yaml")],
  ["its checkout", (team: Team) => removeFromCheckouts(team, "")],
  [
    "its work folder",
    ({ repository }: Team) => rmSync(path.join(repository, "..", "work"), { recursive: true }),
  ],
])("makes a new checkout after the loss of %s", async (_, lose) => {
  const team = await startWithTwo();
  const { log, ran } = await followFor(team, 4, async (cycle) => {
    if (cycle === 1) lose(team);
    if (cycle === 2) await team.commit({ "contexts/desk.yaml": formatContext("Desk", "Be kinder.") });
  });
  expect(ran).toMatchObject({ exit: 0, stderr: "" });
  expect(readOutcomes({ log })).toEqual(["applied", "unchanged", "applied", "unchanged"]);
  expect(listPrompts(team)).toEqual(["Be kinder.", "Be brief."]);
  expect(readdirSync(path.join(team.repository, "..", "work"))).toEqual([]);
});

test("follows the last good commit after the loss of its checkout", async () => {
  const team = await startWithTwo("drift: overwrite\n");
  const { log } = await followFor(team, 3, async (cycle) => {
    if (cycle === 1) await team.commit({ "contexts/desk.yaml": "contexts: [\n" });
    if (cycle !== 2) return;
    removeFromCheckouts(team, "");
    team.emulator.editContext("Door", { prompt: "Edited." });
  });
  expect(readOutcomes({ log })).toEqual(["applied", "invalid", "invalid"]);
  expect(log.filter(({ outcome }) => outcome === "invalid")[1]).toMatchObject({
    changes: [{ address: "context.door", action: "update", status: "applied" }],
  });
  expect(listPrompts(team)).toEqual(["Be kind.", "Be brief."]);
});

test("reports that the last good commit is lost in the repository too", async () => {
  const team = await startWithTwo();
  const { log } = await followFor(team, 3, async (cycle) => {
    if (cycle === 1) {
      await team.commit({ "contexts/desk.yaml": "contexts: [\n" });
      return;
    }
    removeFromCheckouts(team, "");
    team.git("checkout", "--quiet", "--orphan", "fresh");
    await team.commit({});
    team.git("branch", "--quiet", "--force", "main");
    team.git("reflog", "expire", "--expire=now", "--all");
    team.git("gc", "--quiet", "--prune=now");
  });
  expect(log.findLast(({ msg }) => msg === "cycle")).toMatchObject({
    outcome: "invalid",
    problems: [{ location: expect.stringMatching(/^contexts\/desk\.yaml/) }, { code: "failed" }],
  });
  expect(listPrompts(team)).toEqual(["Be kind.", "Be brief."]);
});
