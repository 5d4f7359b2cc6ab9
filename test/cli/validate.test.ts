import { expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { startProject } from "./hosting.js";

test("adopts an avatar declared without a name under its current name", async () => {
  const id = "10000000-0000-4000-8000-000000000000";
  const manifest = `avatars: { host: { id: ${id} } }\n`;
  const project = await startProject({
    files: { "avatarops.yaml": manifest },
    world: generateDataset({ avatars: 1 }),
  });
  const planned = await project.avatarops("plan");
  expect(planned.stdout).toMatch(/adopt +avatar\.host +"Avatar 1"/);
  project.emulator.renameAvatar(id, "");
  const { stdout } = await project.avatarops("plan");
  expect(stdout).toMatch(/adopt +avatar\.host +10000000/);
  expect(stdout).not.toContain('""');
});
