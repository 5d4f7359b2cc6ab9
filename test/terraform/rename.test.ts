// @module-tag terraform
/** Tests the plan for a renamed object, and the object's state afterward. */
import { describe, expect, test } from "vitest";
import { createEmptyDataset, generateDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

const createWorld = () => generateDataset({ avatars: 1, voices: 2 });
const avatarId = createWorld().avatars[0]?.id ?? "";
const [, unlistedId = ""] = createWorld().voices.map(({ id }) => id);

const formatHost = (name: string) => `
resource "avatarops_avatar" "host" {
  id   = "${avatarId}"
  name = "${name}"
}

output "status" {
  value = avatarops_avatar.host.status
}

output "default_voice" {
  value = avatarops_avatar.host.default_voice.name
}
`;

const findUnknown = (plan: string) =>
  [...plan.matchAll(/(\w+) += .*\(known after apply\)/g)].map(([, name]) => name);

describe("rename in Terraform", () => {
  test("shows only updated_at as known after apply, and shows no output changes", async () => {
    const terraform = await startAcceptance({ main: formatHost("Avatar 1"), world: createWorld() });
    await terraform.settle();
    await terraform.write({ "main.tf": formatHost("Front desk") });
    const plan = await terraform.succeed("plan");
    expect(plan).toContain("1 to change");
    expect(findUnknown(plan)).toEqual(["updated_at"]);
    expect(plan).not.toContain("Changes to Outputs");
    await terraform.settle();
    expect(terraform.emulator.world.avatars[0]?.name).toBe("Front desk");
  });

  test("shows only an LLM configuration's updated_at as known after apply", async () => {
    const main = (name: string) => `
provider "avatarops" {
  profile = "liveavatar"
}

resource "avatarops_secret" "llm" {
  secret_name     = "LLM"
  secret_type     = "LLM_API_KEY"
  secret_value_wo = "sk-one"
}

resource "avatarops_llm_configuration" "main" {
  display_name = "${name}"
  model_name   = "gpt-4o"
  secret_id    = avatarops_secret.llm.id
}
`;
    const terraform = await startAcceptance({
      ...{ main: main("Main"), world: createEmptyDataset(), emulator: { profile: "liveavatar" } },
    });
    await terraform.settle();
    await terraform.write({ "main.tf": main("Production") });
    expect(findUnknown(await terraform.succeed("plan"))).toEqual(["updated_at"]);
    await terraform.settle();
  });

  test("succeeds if a computed value changed after the plan, and refreshes that value in the next apply", async () => {
    const terraform = await startAcceptance({ main: formatHost("Avatar 1"), world: createWorld() });
    await terraform.settle();
    await terraform.write({ "main.tf": formatHost("Front desk") });
    await terraform.succeed("plan", "-out=saved");
    const [avatar] = terraform.emulator.world.avatars;
    Object.assign(avatar ?? {}, { status: "SUSPENDED", error_message: "Paused" });
    await terraform.succeed("apply", "saved");
    expect(avatar?.name).toBe("Front desk");
    await terraform.succeed("apply", "-auto-approve");
    const seen = { status: "SUSPENDED", error_message: "Paused" };
    expect(await terraform.stateOf("avatarops_avatar.host")).toMatchObject(seen);
    await terraform.expectNothingToDo();
  });

  test("stores an imported voice's language and gender in the state even if the service does not list the voice", async () => {
    const voice = `resource "avatarops_voice" "it" {\n  id   = "${unlistedId}"\n  name = "Narrator"\n}\n`;
    const terraform = await startAcceptance({ main: voice, world: createWorld() });
    await terraform.succeed("import", "avatarops_voice.it", unlistedId);
    await terraform.settle();
    const { language, gender } = terraform.emulator.world.voices.find(({ id }) => id === unlistedId) ?? {};
    expect(await terraform.stateOf("avatarops_voice.it")).toMatchObject({ language, gender });
  });
});
