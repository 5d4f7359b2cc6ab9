import { expect, test } from "vitest";
import { git, write } from "../git/repositories.js";
import { newClone, stateRef } from "../state/git-servers.js";
import { manifestOf, race, startTeam } from "./git-team.js";
import { runIn, saying } from "./hosting.js";

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

test("a run elsewhere that holds the lock is named, waited for, and removed by `state unlock`", {
  tags: "night",
}, async () => {
  const { remote, environment, run } = await startTeam(["a"]);
  const [one, two] = [newClone(remote.url), newClone(remote.url)];
  await runIn(one, ["apply", "--auto-approve"], { environment, hostname: one });
  // Its machine is gone, with the lock's release.
  write(
    remote.folder,
    "hooks/update",
    '#!/bin/sh\n[ "$3" != 0000000000000000000000000000000000000000 ]\n',
    0o755,
  );
  write(one, "avatarops.yaml", manifestOf(["a", "b"]));
  await run(one, "apply", "--auto-approve");
  write(remote.folder, "hooks/update", "#!/bin/sh\nexit 0\n", 0o755);
  expect(await run(two, "apply", "--auto-approve")).toMatchObject({
    exit: 6,
    stderr: saying(`on ${one}, since`),
  });
  expect(await run(two, "state", "unlock", "--force")).toMatchObject({ exit: 0 });
  write(two, "avatarops.yaml", manifestOf(["a", "b"]));
  expect(await run(two, "plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
});

test("two clones that apply at the same time create nothing twice, and each apply is a commit", async () => {
  await race(2);
});
