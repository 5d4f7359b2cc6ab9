// @module-tag terraform
import { expect, test } from "vitest";
import { testedCore } from "../../packages/terraform-plugin/test/terraform.js";
import { findPassages } from "../../scripts/docs/passages.js";
import { createSampleDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";
import { hasForgetting } from "./newer-cores.js";

/* Runs the docs/terraform.md recipes unchanged. Recipes that need a newer Terraform run at night. */

const readRecipe = (section: string) => findPassages("docs/terraform.md", "hcl", section)[0] ?? "";
const kept = readRecipe("Forget without a destroy");
const createEmptyWorld = () => ({ ...createWorld(), contexts: [] });
const createWorld = () => createSampleDataset(Date.now());

test("follows the adopt-by-name recipe to adopt or create a context for each prompt file", async () => {
  const terraform = await startAcceptance({
    main: readRecipe("Adopt by name"),
    files: { "prompts/Support desk.md": "Be kind.\n", "prompts/Lost property.md": "Be quick.\n" },
    world: createWorld(),
  });
  expect(await terraform.settle()).toContain("1 imported, 1 added, 1 changed, 0 destroyed");
  const prompts = terraform.emulator.world.contexts.map(({ name, prompt }) => `${name}: ${prompt}`);
  expect(prompts).toEqual(expect.arrayContaining(["Support desk: Be kind.", "Lost property: Be quick."]));
  expect(prompts).toHaveLength(createWorld().contexts.length + 1);
});

test.skipIf(!hasForgetting)(
  "forgets a resource with destroy = false despite on_removal, and keeps its object",
  async () => {
    const [lifecycle = ""] = /^ {2}lifecycle .*\n/m.exec(kept) ?? [];
    const provider = 'provider "avatarops" {\n  profile = "liveavatar"\n}\n';
    const main = (name: string) =>
      provider +
      kept.replace("Returns desk", name).replace(lifecycle, `  on_removal = "delete"\n${lifecycle}`);
    const terraform = await startAcceptance({
      ...{ main: main("One"), world: createEmptyWorld(), emulator: { profile: "liveavatar" } },
    });
    await terraform.settle();
    // OpenTofu needs no `removed` block, because it records the setting in the state.
    const removed = `removed {\n  from = avatarops_context.returns\n${lifecycle}}\n`;
    await terraform.write({ "main.tf": provider + (testedCore.isOpenTofu ? "" : removed) });
    expect(await terraform.settle()).toContain("0 added, 0 changed, 0 destroyed");

    await terraform.write({ "main.tf": main("Two") });
    await terraform.settle();
    const { exit } = await terraform.run("destroy", "-auto-approve");
    expect(exit).toBe(testedCore.isOpenTofu ? 1 : 0);
    expect(JSON.parse(await terraform.stateText()).resources).toEqual([]);
    expect(terraform.emulator.world.contexts.map(({ name }) => name)).toEqual(["One", "Two"]);

    await terraform.write({ "main.tf": main("Three").replace("destroy = false", "destroy = true") });
    await terraform.settle();
    await terraform.succeed("destroy", "-auto-approve");
    expect(terraform.emulator.world.contexts.map(({ name }) => name)).toEqual(["One", "Two"]);
  },
);
