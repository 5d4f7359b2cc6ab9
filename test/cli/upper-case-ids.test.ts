import { expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { startProject } from "./hosting.js";

test("imports objects with ids in upper case", async () => {
  const world = generateDataset({ avatars: 2, voices: 2, contexts: 2 });
  const upper = <Of extends { id: string }>(all: readonly Of[]) =>
    all.map((one) => ({ ...one, id: one.id.toUpperCase() }));
  const project = await startProject({
    files: { "avatarops.yaml": "contexts: {}\n" },
    world: {
      ...world,
      avatars: upper(world.avatars),
      voices: upper(world.voices),
      contexts: upper(world.contexts),
    },
  });
  const ran = await project.avatarops("import", "--write", "--all");
  expect(ran, ran.stderr).toMatchObject({ exit: 0 });
  await project.expectNothingToDo();
  const { drifted = 0 } = (await project.json("drift")).summary ?? {};
  expect(drifted).toBe(0);
});
