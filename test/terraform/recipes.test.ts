import { expect, test } from "vitest";
import { hasTerraform } from "../../packages/terraform-plugin/test/terraform.js";
import { passagesOf } from "../../scripts/docs/passages.js";
import { sampleDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

/* A recipe of docs/terraform.md, as it stands. */

const [, , byName = ""] = passagesOf("docs/terraform.md", "hcl");
const world = () => sampleDataset(Date.now());

test.skipIf(!hasTerraform)(
  "a context for each prompt is adopted where the account has it, and else made",
  async () => {
    const terraform = await startAcceptance({
      main: byName,
      files: { "prompts/Support desk.md": "Be kind.\n", "prompts/Lost property.md": "Be quick.\n" },
      world: world(),
    });
    expect(await terraform.settle()).toContain("1 imported, 1 added, 1 changed, 0 destroyed");
    const prompts = terraform.emulator.world.contexts.map(({ name, prompt }) => `${name}: ${prompt}`);
    expect(prompts).toEqual(expect.arrayContaining(["Support desk: Be kind.", "Lost property: Be quick."]));
    expect(prompts).toHaveLength(world().contexts.length + 1);
  },
);
