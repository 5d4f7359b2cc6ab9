// @module-tag terraform
import { expect, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

const formatConfiguration = (settings = "") => `
provider "avatarops" {${settings}
}
resource "avatarops_context" "desk" {
  name   = "Desk"
  prompt = "Be brief."
}
resource "avatarops_context" "new" {
  name   = "New"
  prompt = "Be kind."
}
import {
  to = avatarops_context.desk
  id = "30000000-0000-4000-8000-000000000000"
}
`;

const dated = { created_at: "2026-01-01T00:00:00.123Z", updated_at: "2026-01-01T00:00:00.123Z" };
const desk = { ...dated, id: "30000000-0000-4000-8000-000000000000", name: "Desk", prompt: "Be kind." };

test("updates objects but creates none if the service's list is incomplete, and suggests ignore_list_counts", async () => {
  const { emulator, ...terraform } = await startAcceptance({
    main: formatConfiguration(),
    world: { ...createEmptyDataset(), contexts: [{ ...desk, opening_text: "", links: [] }] },
    emulator: { behavior: { listCount: "too-large", contextNames: "free" } },
  });
  const warned = await terraform.succeed("plan");
  expect(warned).toMatch(/The\s+apply\s+will\s+fail\s+unless\s+you\s+fix\s+this\s+first/);
  const failed = await terraform.fail("apply", "-auto-approve");
  expect(failed).toMatch(/Cannot check whether the context "New" exists/);
  expect(failed).toMatch(/ignore_list_counts\s+=\s+true/);
  expect(emulator.world.contexts.map(({ name, prompt }) => [name, prompt])).toEqual([["Desk", "Be brief."]]);

  await terraform.write({ "main.tf": formatConfiguration("\n  ignore_list_counts = true") });
  await terraform.settle();
  expect(emulator.world.contexts.map(({ name }) => name)).toEqual(["Desk", "New"]);
});
