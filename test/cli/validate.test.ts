import { expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { matchText, startProject } from "./hosting.js";

test("shows the current name of an adopted avatar that is declared without a name", async () => {
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

test("lists all warnings in validate and summarizes repeated warnings in plan", async () => {
  const numbers = [1, 2, 3, 4, 5];
  const contexts = numbers.map((n) => `  c${n}: { name: C${n}, prompt: Guarantee ${n}. }\n`).join("");
  const project = await startProject({
    files: {
      "avatarops.yaml": `variables: { ${numbers.map((n) => `v${n}: x`).join(", ")} }
policies:
  forbidden-phrases: { phrases: [guarantee], severity: warning }
contexts:
${contexts}`,
    },
  });
  const { stdout, stderr } = await project.expectDone("plan");
  expect(stderr.match(/^warning\[unused-variable\] no/gm)).toHaveLength(3);
  expect(stderr).toEqual(
    matchText("warning[unused-variable] and 2 more. `avatarops validate` lists them. 5 warnings."),
  );
  expect(stdout.match(/^warning\[forbidden-phrases\] context/gm)).toHaveLength(3);
  expect(stdout).toEqual(
    matchText("warning[forbidden-phrases] and 2 more. `avatarops validate` lists them."),
  );
  expect((await project.avatarops("validate")).stdout.match(/^warning/gm)).toHaveLength(10);
  expect((await project.json("plan")).policies).toHaveLength(5);
});
