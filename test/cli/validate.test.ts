import { expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { startProject } from "./hosting.js";

const files = {
  "avatarops.yaml": "include: [contexts/*.md]\n",
  "contexts/returns-desk.md": "You answer politely.\n",
};

test("a Markdown file without front matter is shown the lines to paste, in text and in Markdown", async () => {
  const project = await startProject({ files });
  const { stdout } = await project.avatarops("validate");
  const block = "---\nname: Returns desk\n---\n";
  expect(stdout).toContain(`start the file with these lines:\n${block}`);
  const markdown = await project.avatarops("validate", "--format", "markdown");
  expect(markdown.stdout).toContain(`start the file with these lines:\n\n\`\`\`\n${block}\`\`\``);
  await project.write("contexts/returns-desk.md", block + files["contexts/returns-desk.md"]);
  expect(await project.avatarops("validate")).toMatchObject({ exit: 0 });
});

test("an avatar that is declared without a name is adopted under the name it has", async () => {
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
