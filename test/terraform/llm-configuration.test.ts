// @module-tag terraform
/** LLM configurations, which only a profile has, with the real terraform. */
import { expect, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

const main = `provider "avatarops" {
  profile = "liveavatar"
}

variable "llm_api_key" {
  type      = string
  ephemeral = true
}

resource "avatarops_secret" "llm" {
  secret_name     = "LLM"
  secret_type     = "LLM_API_KEY"
  secret_value_wo = var.llm_api_key
  on_rotation     = "delete_old"
  on_removal      = "delete"
}

resource "avatarops_llm_configuration" "main" {
  display_name = "Main"
  model_name   = "gpt-4o"
  secret_id    = avatarops_secret.llm.id
  on_removal   = "delete"
}
`;

test("a configuration follows its secret, and needs the profile", async () => {
  const terraform = await startAcceptance({
    ...{ main, world: emptyDataset(), emulator: { profile: "liveavatar" } },
    environment: { TF_VAR_llm_api_key: "one" },
  });
  const { world } = terraform.emulator;
  const writes = () =>
    terraform
      .requests()
      .filter((request) => !request.startsWith("GET "))
      .map((request) => request.replace(/\/[^/]{36}$/, ""));

  const [configuration = ""] = /resource "avatarops_llm.*/s.exec(main) ?? [];
  await terraform.write({ "main.tf": configuration.replace("avatarops_secret.llm.id", '"s-1"') });
  const refused = (await terraform.fail("plan")).replace(/\s+/g, " ");
  expect(refused).toContain("avatarops_llm_configuration needs a profile");
  expect(refused).toContain('set profile = "liveavatar" in the provider block');
  expect(terraform.requests()).toEqual([]);

  await terraform.write({ "main.tf": main });
  await terraform.settle();
  expect(world.llmConfigurations).toMatchObject([{ display_name: "Main", secret_id: world.secrets[0]?.id }]);
  expect(writes()).toEqual(["POST /v1/secrets", "POST /v1/llm-configurations"]);

  await terraform.succeed("apply", "-auto-approve", "-var", "llm_api_key=two");
  expect(writes()).toEqual(["POST /v1/secrets", "PATCH /v1/llm-configurations", "DELETE /v1/secrets"]);
  expect(world.llmConfigurations).toMatchObject([{ secret_id: world.secrets[0]?.id }]);
  await terraform.expectNothingToDo("-var", "llm_api_key=two");

  await terraform.succeed("destroy", "-auto-approve");
  expect(writes()).toEqual(["DELETE /v1/llm-configurations", "DELETE /v1/secrets"]);
});
