// @module-tag terraform
// @module-tag night
/** Tests with the real terraform that a profile lets a destroy delete objects and a plan read secrets. */
import { describe, expect, test } from "vitest";
import { findPassages } from "../../scripts/docs/passages.js";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

/** Configuration from docs/terraform.md. */
const main = findPassages("docs/terraform.md", "hcl", "Profiles").join("");
const removeSetting = (setting: RegExp) => main.replace(new RegExp(`^ *${setting.source} .*\\n`, "gm"), "");
const provider = 'provider "avatarops" {\n  profile = "liveavatar"\n}\n';
const formatKeyArguments = (value: string) => ["-var", `llm_api_key=${value}`];

async function start(text: string) {
  const terraform = await startAcceptance({
    ...{ main: text, world: createEmptyDataset(), emulator: { profile: "liveavatar" } },
    environment: { TF_VAR_llm_api_key: "one" },
  });
  const { world } = terraform.emulator;
  const listWrites = () => terraform.requests().filter((request) => !request.startsWith("GET "));
  return { ...terraform, world, stored: () => [world.contexts.length, world.secrets.length], listWrites };
}

describe("provider with a profile", () => {
  test("deletes objects with on_removal during a destroy, and leaves all others in the account", async () => {
    const kept = '\nresource "avatarops_context" "kept" {\n  name   = "Kept"\n  prompt = ""\n}\n';
    const { world, ...terraform } = await start(removeSetting(/on_removal/) + kept);
    await terraform.settle();
    await terraform.write({ "main.tf": main + kept });
    terraform.listWrites();
    await terraform.settle();
    // The setting is recorded only in the state and causes no write.
    expect(terraform.listWrites()).toEqual([]);
    const ids = [world.contexts.find(({ name }) => name !== "Kept")?.id, world.secrets[0]?.id];
    const output = await terraform.succeed("destroy", "-auto-approve");
    expect(output).toContain("The context is removed from the state, but not deleted");
    expect(world.contexts.map(({ name }) => name)).toEqual(["Kept"]);
    const deletes = [`DELETE /v1/contexts/${ids[0]}`, `DELETE /v1/secrets/${ids[1]}`];
    expect(terraform.listWrites().sort()).toEqual(deletes);
  });

  test("generates valid configuration for an imported secret", async () => {
    const { world, ...terraform } = await start(
      `${provider}import {\n  to = avatarops_secret.llm\n  id = "s-1"\n}\n`,
    );
    world.secrets.push({
      ...{ id: "s-1", secret_name: "llm-production", secret_type: "LLM_API_KEY" },
      created_at: "2026-01-01T00:00:00.000Z",
    });
    await terraform.succeed("plan", "-generate-config-out=written.tf");
    expect(await terraform.settle()).toContain("1 imported, 0 added");
    expect(terraform.listWrites()).toEqual([]);
  });

  test("deletes an imported object only if its resource sets on_removal", async () => {
    const { world, emulator, ...terraform } = await start(removeSetting(/on_(removal|rotation)/));
    const { id } = emulator.addContext({ name: "Returns desk", prompt: "Hello" });
    const named = { secret_name: "llm-production", secret_type: "LLM_API_KEY" };
    world.secrets.push({ id: "s-1", ...named, created_at: "2026-01-01T00:00:00.000Z" });
    await terraform.succeed("import", "avatarops_context.returns", id);
    await terraform.succeed("import", "avatarops_secret.llm", "s-1");
    expect(await terraform.stateOf("avatarops_secret.llm")).toMatchObject(named);
    await terraform.settle();
    // The state now records the value, so a plan detects a new one.
    expect(await terraform.succeed("plan", ...formatKeyArguments("two"))).toContain("1 to change");
    await terraform.succeed("destroy", "-auto-approve");
    expect(terraform.stored()).toEqual([1, 1]);

    await terraform.write({ "main.tf": main });
    await terraform.succeed("import", "avatarops_context.returns", id);
    await terraform.succeed("import", "avatarops_secret.llm", "s-1");
    await terraform.settle();
    expect(terraform.listWrites()).toEqual([]);
    await terraform.write({ "main.tf": provider });
    await terraform.settle();
    expect(terraform.stored()).toEqual([0, 0]);
  });

  // references.test.ts covers a new value and the deletion of the old secret.
  test("recreates a missing secret, and updates the LLM configuration that uses it", async () => {
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
