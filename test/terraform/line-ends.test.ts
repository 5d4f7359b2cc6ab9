// @module-tag terraform
import { describe, test } from "vitest";
import { startAcceptance } from "./acceptance.js";

const main = `
resource "avatarops_context" "body" {
  name   = "Body"
  prompt = chomp(file("\${path.module}/body.md"))
}

resource "avatarops_context" "raw" {
  name   = "Raw"
  prompt = file("\${path.module}/raw.md")
  links  = [{ url = "https://example.com", faq = file("\${path.module}/raw.md") }]
}
`;
const lines = "One.\nTwo.\n";
const files = { "body.md": lines, "raw.md": lines };
const toWindows = (text: string) => text.replaceAll("\n", "\r\n");

describe("Windows line endings", () => {
  test("change nothing in the plan or the account", async () => {
    const { emulator, ...terraform } = await startAcceptance({ main, files });
    await terraform.settle();
    await terraform.write({ "body.md": toWindows(files["body.md"]), "raw.md": toWindows(files["raw.md"]) });
    await terraform.expectNothingToDo();
    for (const { id, prompt } of emulator.world.contexts)
      emulator.editContext(id, { prompt: toWindows(prompt) });
    await terraform.expectNothingToDo();
    await terraform.write(files);
    await terraform.settle();
  });
});
