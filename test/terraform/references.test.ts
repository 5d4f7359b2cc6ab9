// @module-tag terraform
/**
 * Tests references between resources, including ids unknown in the plan and superseded objects, which are
 * deleted last.
 */
import { expect, test } from "vitest";
import { createEmptyDataset, type LlmConfiguration } from "../../src/emulator/index.js";
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
}

resource "avatarops_llm_configuration" "main" {
  display_name = "Main"
  model_name   = "gpt-4o"
  secret_id    = avatarops_secret.llm.id
}
`;

test("deletes a superseded secret once no other object uses it", async () => {
  const terraform = await startAcceptance({
    ...{ main, world: createEmptyDataset(), emulator: { profile: "liveavatar" } },
    environment: { TF_VAR_llm_api_key: "one" },
  });
  await terraform.settle();
  const { world } = terraform.emulator;
  const users = world.llmConfigurations as LlmConfiguration[];
  const [own] = users;
  const [first] = world.secrets;
  const two = ["-var", "llm_api_key=two"];
  const plan = (await terraform.succeed("plan", ...two)).replace(/ +/g, " ");
  expect(plan).toContain(`~ secret_id = "${first?.id}" -> (known after apply)`);
  expect(plan).not.toContain("- secret_id");
  expect(plan.replace(/[│\s]+/g, " ")).toContain(
    `so the apply deletes superseded secrets once no other object uses them: ${first?.id}.`,
  );

  // Another object now uses the superseded secret. The apply fails before it can update our LLM configuration.
  users.push({ ...(own as LlmConfiguration), id: "9", display_name: "Foreign" });
  terraform.emulator.addFault("PATCH /v1/llm-configurations/* 400");
  await terraform.fail("apply", "-auto-approve", ...two);
  const output = await terraform.succeed("apply", "-auto-approve", ...two);
  expect(output.replace(/[│\s]+/g, " ")).toMatch(/is now used by [^.]*llm_configuration 9/);
  expect(world.secrets.map(({ id }) => id)).toEqual([first?.id, own?.secret_id]);
  const next = (await terraform.succeed("plan", ...two)).replace(/[│\s]+/g, " ");
  expect(next).toContain(`${first?.id} is now used by llm_configuration 9.`);
  users.pop();
  await terraform.succeed("apply", "-auto-approve", ...two);
  expect(world.secrets.map(({ id }) => id)).toEqual([own?.secret_id]);
  await terraform.expectNothingToDo(...two);
});

test("does not record or warn about a superseded secret that the same apply deletes", async () => {
  const terraform = await startAcceptance({
    ...{ main, world: createEmptyDataset(), emulator: { profile: "liveavatar" } },
    environment: { TF_VAR_llm_api_key: "one" },
  });
  await terraform.settle();
  const { world } = terraform.emulator;
  const [first] = world.secrets;
  const two = ["-var", "llm_api_key=two"];
  const output = await terraform.succeed("apply", "-auto-approve", ...two);
  expect(world.secrets.map(({ id }) => id)).not.toContain(first?.id);
  expect(output.replace(/[│\s]+/g, " ")).not.toMatch(/in use|used by|not deleted/);
  expect(await terraform.stateOf("avatarops_secret.llm")).toMatchObject({ superseded_ids: [] });
  await terraform.expectNothingToDo("-refresh=false", ...two);
  await terraform.expectNothingToDo(...two);
});
