// @module-tag terraform
// @module-tag night
/** What a profile adds, with the real terraform: a destroy that deletes where the resource says so, and secrets that are seen. */
import { describe, expect, test } from "vitest";
import { passagesOf } from "../../scripts/docs/passages.js";
import { emptyDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

/** What docs/terraform.md says. */
const main = passagesOf("docs/terraform.md", "hcl", "Profiles").join("");
const without = (setting: RegExp) => main.replace(new RegExp(`^ *${setting.source} .*\\n`, "gm"), "");
const provider = 'provider "avatarops" {\n  profile = "liveavatar"\n}\n';
const withKey = (value: string) => ["-var", `llm_api_key=${value}`];

async function start(text: string) {
  const terraform = await startAcceptance({
    ...{ main: text, world: emptyDataset(), emulator: { profile: "liveavatar" } },
    environment: { TF_VAR_llm_api_key: "one" },
  });
  const { world } = terraform.emulator;
  const writes = () => terraform.requests().filter((request) => !request.startsWith("GET "));
  return { ...terraform, world, stored: () => [world.contexts.length, world.secrets.length], writes };
}

describe("with a profile", () => {
  test("a destroy deletes what its resource says, and leaves the rest", async () => {
    const kept = '\nresource "avatarops_context" "kept" {\n  name   = "Kept"\n  prompt = ""\n}\n';
    const { world, ...terraform } = await start(without(/on_removal/) + kept);
    await terraform.settle();
    await terraform.write({ "main.tf": main + kept });
    terraform.writes();
    await terraform.settle();
    // The state has it from now on, and the service was not told.
    expect(terraform.writes()).toEqual([]);
    const ids = [world.contexts.find(({ name }) => name !== "Kept")?.id, world.secrets[0]?.id];
    const said = await terraform.succeed("destroy", "-auto-approve");
    expect(said).toContain("The context is removed from the state, but not deleted");
    expect(world.contexts.map(({ name }) => name)).toEqual(["Kept"]);
    const deletes = [`DELETE /v1/contexts/${ids[0]}`, `DELETE /v1/secrets/${ids[1]}`];
    expect(terraform.writes().sort()).toEqual(deletes);
  });

  test("what Terraform writes of an import is valid as it is", async () => {
    const { world, ...terraform } = await start(
      `${provider}import {\n  to = avatarops_secret.llm\n  id = "s-1"\n}\n`,
    );
    world.secrets.push({
      ...{ id: "s-1", secret_name: "llm-production", secret_type: "LLM_API_KEY" },
      created_at: "2026-01-01T00:00:00.000Z",
    });
    await terraform.succeed("plan", "-generate-config-out=written.tf");
    expect(await terraform.settle()).toContain("1 imported, 0 added");
    expect(terraform.writes()).toEqual([]);
  });

  test("what was imported is deleted only once its own resource says so", async () => {
    const { world, emulator, ...terraform } = await start(without(/on_(removal|rotation)/));
    const { id } = emulator.addContext({ name: "Returns desk", prompt: "Hello" });
    const named = { secret_name: "llm-production", secret_type: "LLM_API_KEY" };
    world.secrets.push({ id: "s-1", ...named, created_at: "2026-01-01T00:00:00.000Z" });
    await terraform.succeed("import", "avatarops_context.returns", id);
    await terraform.succeed("import", "avatarops_secret.llm", "s-1");
    expect(await terraform.stateOf("avatarops_secret.llm")).toMatchObject(named);
    await terraform.settle();
    // The value is remembered from here on.
    expect(await terraform.succeed("plan", ...withKey("two"))).toContain("1 to change");
    await terraform.succeed("destroy", "-auto-approve");
    expect(terraform.stored()).toEqual([1, 1]);

    await terraform.write({ "main.tf": main });
    await terraform.succeed("import", "avatarops_context.returns", id);
    await terraform.succeed("import", "avatarops_secret.llm", "s-1");
    await terraform.settle();
    expect(terraform.writes()).toEqual([]);
    await terraform.write({ "main.tf": provider });
    await terraform.settle();
    expect(terraform.stored()).toEqual([0, 0]);
  });

  // What uses it follows a new value, and then the old one is deleted: references.test.ts.
  test("a secret that is gone is made again, and what uses it follows", async () => {
    const model = `
resource "avatarops_llm_configuration" "main" {
  display_name = "Main"
  model_name   = "gpt-4o"
  secret_id    = avatarops_secret.llm.id
  on_removal   = "delete"
}
`;
    const { world, ...terraform } = await start(main + model);
    await terraform.settle();
    world.secrets.splice(0);
    expect(await terraform.settle()).toContain("1 added, 1 changed");
    await terraform.succeed("destroy", "-auto-approve");
    expect([...terraform.stored(), world.llmConfigurations.length]).toEqual([0, 0, 0]);
  });
});
