/** Kinds that refer to each other, as resources: Terraform knows the order, the provider must leave unknown ids unknown. */
import "../synthetic/entry.js";
import { describe, expect, test } from "vitest";
import { hasTerraform } from "../../packages/terraform-plugin/test/terraform.js";
import { entriesService } from "../synthetic/entry.js";
import { startAcceptance } from "./acceptance.js";

const main = (value: string, more = "") => `
provider "avatarops" {}
resource "avatarops_token" "main" {
  name     = "Main"
  value_wo = "${value}"
}
resource "avatarops_entry" "root" {
  name = "Root"
}
resource "avatarops_entry" "leaf" {
  name   = "Leaf"
  token  = avatarops_token.main.id
  parent = avatarops_entry.root.id
${more}}
`;

describe.skipIf(!hasTerraform)("a resource that refers to others", () => {
  test("is made after them, follows a new id in the same apply, and is deleted first", async () => {
    const { tokens, entries, endpoints } = entriesService();
    const terraform = await startAcceptance({ main: main("one"), emulator: { endpoints } });
    expect(await terraform.succeed("plan")).toMatch(/\+ token += \(known after apply\)/);
    await terraform.settle();
    expect(entries.map(({ name }) => name)).toEqual(["Root", "Leaf"]);
    expect(entries[1]).toMatchObject({ token: tokens[0]?.id, parent: entries[0]?.id });

    await terraform.write({ "main.tf": main("two") });
    const plan = (await terraform.succeed("plan")).replace(/ +/g, " ");
    expect(plan).toContain(`~ token = "${tokens[0]?.id}" -> (known after apply)`);
    expect(plan).not.toContain("- token");
    expect(plan).toContain("0 to add, 2 to change, 0 to destroy");
    await terraform.settle();
    expect(entries[1]?.token).toBe(tokens[1]?.id);

    await terraform.succeed("destroy", "-auto-approve");
    expect(entries).toEqual([]);
  }, 60_000);
});
