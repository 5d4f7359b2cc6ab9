import { expect, test } from "vitest";
import { git } from "../git/repositories.js";
import { newClone, stateRef } from "../state/git-servers.js";
import { race, startTeam } from "./git-team.js";

test("what one clone applied is known to the next, and the second apply leaves the ref as it is", async () => {
  const { project, remote, run } = await startTeam(["a", "b"]);
  const [one, two] = [newClone(remote.url), newClone(remote.url)];
  expect(await run(one, "apply", "--auto-approve")).toMatchObject({ exit: 0 });
  const commit = git(remote.folder, "rev-parse", stateRef);
  expect(await run(two, "plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  expect(await run(two, "apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(git(remote.folder, "rev-parse", stateRef)).toBe(commit);
  expect(await run(two, "state", "list")).toMatchObject({ stdout: expect.stringContaining("context.b") });
  expect(project.emulator.world.contexts).toHaveLength(2);
  expect(git(one, "status", "--porcelain")).not.toContain("state.json");
  expect(git(remote.folder, "for-each-ref", "--format=%(refname)").split("\n")).toEqual([
    stateRef,
    "refs/heads/main",
  ]);
});

test("two clones that apply at the same time create nothing twice, and each apply is a commit", async () => {
  // Of fifty each: test/real/git-command.test.ts.
  await race(1);
});
