// @module-tag terraform
/** Kinds that refer to each other, as resources: Terraform knows the order, the provider must leave unknown ids unknown. */
import "../synthetic/entry.js";
import { describe, expect, test } from "vitest";
import { entriesService } from "../synthetic/entry.js";
import { startAcceptance } from "./acceptance.js";

const main = (value: string, { profile = "", token = "" } = {}) => `
provider "avatarops" {${profile}}
resource "avatarops_token" "main" {
  name     = "Main"
  value_wo = "${value}"
${token}}
resource "avatarops_entry" "root" {
  name       = "Root"
  on_removal = "delete"
}
resource "avatarops_entry" "leaf" {
  name      = "Leaf"
  token_id  = avatarops_token.main.id
  parent_id = avatarops_entry.root.id

  on_removal = "delete"
}
`;

describe("a resource that refers to others", () => {
  test("lets go of what was superseded, which is deleted then, and not while another one uses it", async () => {
    const { tokens, entries, endpoints } = entriesService();
    const old = { profile: ' profile = "liveavatar" ', token: '  on_rotation = "delete_old"\n' };
    const terraform = await startAcceptance({ main: main("one", old), emulator: { endpoints } });
    await terraform.settle();
    terraform.requests();
    await terraform.write({ "main.tf": main("two", old) });
    await terraform.settle();
    const writes = () => terraform.requests().filter((request) => !request.startsWith("GET "));
    expect(writes()).toEqual([
      "POST /v1/tokens",
      `PATCH /v1/entries/${entries[1]?.id}`,
      expect.stringMatching("DELETE /v1/tokens/"),
    ]);
    expect(tokens.map(({ id }) => id)).toEqual([entries[1]?.token]);

    // Somebody else uses the one that is superseded next, and the apply is interrupted before ours follows.
    const [second] = tokens;
    entries.push({ id: "9", name: "Foreign", token: second?.id ?? "", parent: "" });
    await terraform.write({ "main.tf": main("three", old) });
    terraform.emulator.addFault("PATCH /v1/entries/* 400");
    await terraform.fail("apply", "-auto-approve");
    const said = await terraform.succeed("apply", "-auto-approve");
    expect(said).toContain("The superseded token is still in use");
    expect(said.replace(/\s+/g, " ")).toMatch(/used by [^.]*entry 9/);
    expect(tokens.map(({ id }) => id)).toEqual([second?.id, entries[1]?.token]);
    entries.splice(-1);
    await terraform.settle();
    expect(tokens.map(({ id }) => id)).toEqual([entries[1]?.token]);
  });
});
