// @module-tag terraform
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { testedCore } from "../../packages/terraform-plugin/test/terraform.js";
import { passagesOf } from "../../scripts/docs/passages.js";
import { sampleDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";
import { hasForgetting } from "./newer-cores.js";

/* Recipes of docs/terraform.md, as they stand. Those that Terraform 1.11 does not know are run at night, on programs that do. */

const recipe = (section: string) => passagesOf("docs/terraform.md", "hcl", section)[0] ?? "";
const kept = recipe("Forget without a destroy");
const empty = () => ({ ...world(), contexts: [] });
const world = () => sampleDataset(Date.now());

test("a context for each prompt is adopted where the account has it, and else made", async () => {
  const terraform = await startAcceptance({
    main: recipe("Adopt by name"),
    files: { "prompts/Support desk.md": "Be kind.\n", "prompts/Lost property.md": "Be quick.\n" },
    world: world(),
  });
  expect(await terraform.settle()).toContain("1 imported, 1 added, 1 changed, 0 destroyed");
  const prompts = terraform.emulator.world.contexts.map(({ name, prompt }) => `${name}: ${prompt}`);
  expect(prompts).toEqual(expect.arrayContaining(["Support desk: Be kind.", "Lost property: Be quick."]));
  expect(prompts).toHaveLength(world().contexts.length + 1);
});

test.skipIf(!hasForgetting)(
  "a resource with destroy = false is forgotten, whatever on_removal says, and stays in the account",
  async () => {
    const [lifecycle = ""] = /^ {2}lifecycle .*\n/m.exec(kept) ?? [];
    const provider = 'provider "avatarops" {\n  profile = "liveavatar"\n}\n';
    const main = (name: string) =>
      provider +
      kept.replace("Returns desk", name).replace(lifecycle, `  on_removal = "delete"\n${lifecycle}`);
    const terraform = await startAcceptance({
      ...{ main: main("One"), world: empty(), emulator: { profile: "liveavatar" } },
    });
    await terraform.settle();
    // OpenTofu remembers it.
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

test.skipIf(!testedCore.isOpenTofu)(
  "states and plans of OpenTofu hold nothing of a prompt once they are encrypted",
  async () => {
    const main = `variable "prompt" {\n  type = string\n}\n${kept.replace('"Hello"', "var.prompt")}`;
    const environment = {
      TF_VAR_passphrase: "sixteen or more characters",
      TF_VAR_prompt: "Be kind to badgers.",
    };
    const tofu = await startAcceptance({ main, environment, world: empty() });
    await tofu.settle();
    expect(await tofu.stateText()).toContain("badgers");
    await tofu.write({ "encryption.tf": recipe("OpenTofu") });
    expect(await tofu.fail("plan")).toContain("encountered unencrypted payload without unencrypted method");

    await tofu.write({
      "main.tf": main.replace("Returns desk", "Other desk"),
      "terraform.tfstate": undefined,
    });
    await tofu.settle();
    const changed = { ...environment, TF_VAR_prompt: "Be kind to otters." };
    expect(await tofu.runWith(changed, "plan", "-out=plan")).toMatchObject({ exit: 0 });
    expect(await tofu.runWith(changed, "apply", "plan")).toMatchObject({ exit: 0 });
    expect(tofu.emulator.world.contexts.at(-1)?.prompt).toBe("Be kind to otters.");
    const found = await readdir(tofu.folder);
    const written = found.filter((name) => !name.endsWith(".tf"));
    expect(written.sort()).toEqual(["plan", "terraform.tfstate", "terraform.tfstate.backup"]);
    for (const name of written) {
      const text = await readFile(path.join(tofu.folder, name), "latin1");
      expect(text).toContain('"encrypted_data"');
      expect(text).not.toMatch(/badgers|otters|Other desk|avatarops/);
    }
  },
);
