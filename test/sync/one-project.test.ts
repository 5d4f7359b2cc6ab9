/** Checks that a manual run and a sync agree on the project that a state belongs to. */
import { expect, test } from "vitest";
import { runIn } from "../cli/hosting.js";
import { followFor, readOutcomes, startTeam, type Team } from "./team.js";

const origin = "https://x-access-token:s3cret@git.example.com/Team/Avatars.git";
const desk = "contexts: { desk: { name: Desk, prompt: Be kind. } }\n";

/** Creates a repository with a project in `desk` whose state is shared over HTTP. */
async function startInFolder(): Promise<{ team: Team; state: string }> {
  const team = await startTeam("contexts: {}\n");
  team.git("remote", "add", "origin", origin);
  const [, state = ""] = /^state: (.*)$/m.exec(team.git("show", "HEAD:avatarops.yaml")) ?? [];
  await team.commit({ "desk/avatarops.yaml": `state: ${state}\n${desk}` });
  return { team, state };
}

const runInFolder = (team: Team, folder: string, ...argv: string[]) =>
  runIn(`${team.repository}/${folder}`, argv, { environment: team.environment });

test("shares a state between sync of a mirror and apply in a clone", async () => {
  const { team } = await startInFolder();
  expect(await runInFolder(team, "desk", "apply", "-y")).toMatchObject({ exit: 0 });
  const follower = await followFor(
    team,
    2,
    async (cycle) => {
      if (cycle !== 1) return;
      const text = team.git("show", "HEAD:desk/avatarops.yaml").replace("kind", "brief");
      await team.commit({ "desk/avatarops.yaml": `${text}\n` });
    },
    ...["--path", "desk"],
  );
  expect(readOutcomes(follower)).toEqual(["unchanged", "applied"]);
  const ran = await runInFolder(team, "desk", "apply", "-y");
  expect(ran).toMatchObject({ exit: 0, stderr: expect.not.stringContaining("belongs") });
});

test("rejects another project that uses the same state during sync, and deletes no objects", async () => {
  const { team, state } = await startInFolder();
  expect(await runInFolder(team, "desk", "apply", "-y")).toMatchObject({ exit: 0 });
  await team.commit({
    "twin/avatarops.yaml": `state: ${state}\nservice: { profile: liveavatar }\non_removal: { contexts: delete }\ncontexts: {}\n`,
  });
  const follower = await followFor(team, 2, undefined, "--path", "desk", "--path", "twin");
  const cycles = follower.log.filter(({ msg }) => msg === "cycle");
  expect(cycles.map(({ outcome }) => outcome)).toEqual(["unchanged", "refused"]);
  expect(cycles[1]?.problems).toMatchObject([
    { code: "other-project", message: expect.stringContaining('belongs to "desk" in team/avatars') },
  ]);
  expect(team.emulator.world.contexts).toHaveLength(1);
});
