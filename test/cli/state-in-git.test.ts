import { expect, test } from "vitest";
import { git } from "../git/repositories.js";
import { stateRef } from "../state/git-servers.js";
import { race, startTeam } from "./git-team.js";

test("reads the shared state in a second clone without changing the state's ref", async () => {
  const { emulator, remote, clone } = await startTeam(["a", "b"]);
  const [one, two] = [clone(), clone()];
  await one.apply();
  const commit = git(remote.folder, "rev-parse", stateRef);
  expect(await two.run("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  await two.apply();
  expect(git(remote.folder, "rev-parse", stateRef)).toBe(commit);
  expect(await two.run("state", "list")).toMatchObject({ stdout: expect.stringContaining("context.b") });
  expect(emulator.world.contexts).toHaveLength(2);
  expect(one.git("status", "--porcelain")).not.toContain("state.json");
  expect(git(remote.folder, "for-each-ref", "--format=%(refname)").split("\n")).toEqual([
    stateRef,
    "refs/heads/main",
  ]);
});

test("creates each object once in concurrent applies of two clones", async () => {
  // For fifty applies per clone, see test/real/git-command.test.ts.
  await race(1);
});
