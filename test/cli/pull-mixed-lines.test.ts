import { expect, test } from "vitest";
import { startAndApply } from "./hosting.js";

test.each([
  [
    "a text file",
    "prompts/desk.md",
    "contexts: { desk: { name: Desk, prompt: !file prompts/desk.md } }\n",
    "",
  ],
  ["a Markdown body", "contexts/desk.md", "include: [contexts/*.md]\n", "---\r\nname: Desk\n---\n"],
])("keeps mixed line endings of %s when a pull changes one line", async (_, file, manifest, frontMatter) => {
  const text = `${frontMatter}One.\r\nTwo.\nThree is brief.\nFour.\r\nFive.\n`;
  const project = await startAndApply({ files: { "avatarops.yaml": manifest, [file]: text } });
  const [live] = project.emulator.world.contexts;
  project.emulator.editContext("Desk", { prompt: live?.prompt.replace("brief", "kind") ?? "" });
  await project.expectDone("pull", "-y");
  expect(await project.read(file)).toBe(text.replace("brief", "kind"));
});
