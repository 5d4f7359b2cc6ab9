// @module-tag terraform
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Dataset } from "../../src/emulator/index.js";
import { createProvider } from "../../src/entrypoints/terraform/index.js";
import { startAcceptance } from "./acceptance.js";

/*
 * Each fixture contains a state that Terraform wrote with this schema version, and the account at that time.
 */

const current = createProvider({ version: "0.0.0", environment: {} }).resources.avatarops_context;
const versions = [...(current?.stateUpgraders ?? []).keys()];

const formatConfiguration = (prompt = "Be kind.") => `
provider "avatarops" {
  profile          = "liveavatar"
  former_base_urls = ["http://127.0.0.1:38013"]
}
resource "avatarops_avatar" "host" {
  id   = "A0000000-0000-4000-8000-000000000000"
  name = "Host"
}
resource "avatarops_voice" "narrator" {
  id   = "20000000-0000-4000-8000-000000000000"
  name = "Narrator"
}
resource "avatarops_context" "desk" {
  name         = "Desk"
  prompt       = "${prompt}"
  opening_text = "Hi!"
  links        = [{ url = "https://example.com/faq", faq = "What is it?" }]
}
resource "avatarops_secret" "llm" {
  secret_name     = "llm"
  secret_type     = "LLM_API_KEY"
  secret_value_wo = "sk-two"
}
resource "avatarops_llm_configuration" "main" {
  display_name = "Main"
  model_name   = "gpt-4o"
  secret_id    = upper(avatarops_secret.llm.id)
}
`;

test.each(versions)("upgrades a state of schema version %i and leaves an empty plan", async (version) => {
  const read = (file: string) => readFileSync(new URL(`states/${file}`, import.meta.url), "utf8");
  const { emulator, requests, ...terraform } = await startAcceptance({
    ...{ main: formatConfiguration(), files: { "terraform.tfstate": read(`version-${version}.json`) } },
    world: JSON.parse(read(`version-${version}-account.json`)) as Dataset,
    emulator: { profile: "liveavatar" },
  });
  const recorded = () => terraform.stateText().then((text) => text.match(/"schema_version": \d+/g));
  expect(new Set(await recorded())).toEqual(new Set([`"schema_version": ${version}`]));
  await terraform.expectNothingToDo();
  expect(requests().filter((one) => !one.startsWith("GET"))).toEqual([]);

  await terraform.write({ "main.tf": formatConfiguration("Be brief.") });
  await terraform.settle();
  expect(emulator.world.contexts).toMatchObject([{ name: "Desk", prompt: "Be brief." }]);
  expect(requests().filter((one) => !one.startsWith("GET"))).toHaveLength(1);
  expect(new Set(await recorded())).toEqual(new Set([`"schema_version": ${versions.length}`]));
  expect(await terraform.stateOf("avatarops_avatar.host")).toMatchObject({
    id: "a0000000-0000-4000-8000-000000000000",
  });
  expect(await terraform.stateOf("avatarops_secret.llm")).toMatchObject({
    superseded_ids: ["cc6ecae2-2bea-4261-a37b-9637cb1365e5"],
  });
});
