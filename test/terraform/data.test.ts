// @module-tag terraform
import { describe, expect, test } from "vitest";
import { type Dataset, generateDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

const world = () => generateDataset({ avatars: 2, voices: 1, contexts: 3, sessions: 2 });
const avatarId = world().avatars[0]?.id ?? "";
const contextId = world().contexts[1]?.id ?? "";

/** The outputs of a configuration after one apply. */
async function outputsOf(main: string, given: Dataset = world()) {
  const { requests, ...terraform } = await startAcceptance({ main, world: given });
  await terraform.settle();
  const outputs = JSON.parse(await terraform.succeed("output", "-json")) as Record<
    string,
    { value: unknown }
  >;
  return Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
}

describe("data sources", () => {
  test("find objects by id or exact name, with all they have", async () => {
    const found = await outputsOf(`
data "avatarops_avatar" "by_id" {
  id = "${avatarId}"
}
data "avatarops_avatar" "by_name" {
  name = "Avatar 2"
}
data "avatarops_context" "by_id" {
  id = "${contextId}"
}
data "avatarops_context" "by_name" {
  name = "Context 2"
}
output "name" { value = data.avatarops_avatar.by_id.name }
output "id" { value = data.avatarops_avatar.by_name.id }
output "voice" { value = data.avatarops_avatar.by_id.default_voice.name }
output "prompt" { value = data.avatarops_context.by_id.prompt }
output "same" { value = data.avatarops_context.by_name.id == data.avatarops_context.by_id.id }
`);
    const avatar = { name: "Avatar 1", id: world().avatars[1]?.id, voice: "Voice 1" };
    expect(found).toEqual({ ...avatar, prompt: "Prompt 2", same: true });
  });

  test("say which objects share a name, and that none has it", async () => {
    const given = world();
    for (const context of given.contexts) context.name = "Desk";
    const { requests, ...terraform } = await startAcceptance({
      main: 'data "avatarops_context" "desk" {\n  name = "Desk"\n}\n',
      world: given,
    });
    const several = await terraform.fail("plan");
    for (const { id } of given.contexts) expect(several).toContain(id);
    expect(several).toContain("on main.tf line 2");
    await terraform.write({ "main.tf": 'data "avatarops_context" "desk" {\n  name = "Nobody"\n}\n' });
    expect(await terraform.fail("plan")).toContain("Nobody");
    await terraform.write({ "main.tf": 'data "avatarops_context" "desk" {}\n' });
    expect(await terraform.fail("validate")).toMatch(/id.*name|name.*id/);
    requests();
  });
});
