/** Checks that an outdated checkout cannot revert profile fields, just like standard fields. */
import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { location } from "../state/git-servers.js";
import { startClones } from "./clones.js";
import { matchText } from "./hosting.js";

const host = "10000000-0000-4000-8000-000000000000";
const [first = "", second = ""] = [0, 1].map((n) => `20000000-0000-4000-8000-00000000000${n}`);
const createFiles = (voice: string, name = "Host") => ({
  "avatarops.yaml": `state: ${location}
service: { profile: liveavatar }
avatars:
  host: { id: ${host}, name: ${name}, default_voice: ${voice} }
voices:
  one: { id: ${first}, name: Voice 1 }
  two: { id: ${second}, name: Voice 2 }
`,
});

/** Starts two clones and applies a default voice. */
async function startTeam() {
  const team = await startClones(createFiles("one"), {
    ...{ world: generateDataset({ avatars: 1, voices: 2 }), emulator: { profile: "liveavatar" } },
  });
  await team.first.apply();
  const voice = () => team.emulator.world.avatars[0]?.default_voice?.id;
  const setVoice = (id: string) => {
    const [live] = team.emulator.world.avatars;
    if (live) Object.assign(live, { default_voice: { id, name: "Any" } });
  };
  return { ...team, ana: team.first, ben: team.clone("Ben"), voice, setVoice };
}

describe("default voice applied by a colleague", () => {
  test("survives an apply from a checkout that is behind", async () => {
    const { ana, ben, voice } = await startTeam();
    ana.commit(createFiles("two"));
    await ana.apply();
    ana.push();
    const refused = await ben.run("apply", "-y");
    expect(refused).toMatchObject({
      exit: 7,
      stderr: matchText("Applying would revert avatar.host.default_voice"),
    });
    expect(voice()).toBe(second);
    ben.git("pull", "--quiet", "--rebase", "origin", "main");
    ben.commit(createFiles("one"));
    await ben.apply();
    expect(voice()).toBe(first);
  });

  test("is printed by the show command", async () => {
    const { ana } = await startTeam();
    const { stdout } = await ana.run("show", "avatar.host");
    expect(stdout).toContain("default_voice");
    expect(stdout).toContain(first);
  });

  test("can be replaced from a checkout that contains the same change in a different commit", async () => {
    const { ana, ben, voice } = await startTeam();
    ana.commit(createFiles("two"));
    await ana.apply();
    ben.commit(createFiles("two", "Squashed"));
    ben.commit(createFiles("one", "Squashed"));
    await ben.apply();
    expect(voice()).toBe(first);
  });
});

test("records a default voice overwritten by apply --overwrite-drift", async () => {
  const { ana, setVoice, voice } = await startTeam();
  setVoice(second);
  await ana.apply("--overwrite-drift");
  expect(voice()).toBe(first);
  const { stdout } = await ana.run("history", "--format", "json");
  const [last] = JSON.parse(stdout).records;
  expect(last.changes).toMatchObject([{ address: "avatar.host", overwritten: ["default_voice"] }]);
});
