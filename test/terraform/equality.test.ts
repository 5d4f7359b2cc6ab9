// @module-tag terraform
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { runIn } from "../cli/hosting.js";
import { startAcceptance } from "./acceptance.js";

/* Declares the same objects in YAML and in Terraform. After one of them is applied, the other plans no changes. */

const prompt =
  "---\nname: Support desk\nopening_text: Hi!\nlinks:\n  - url: https://example.com/returns\n---\nBe ${adjective}.\n\n";

const yaml = `
include: [contexts/*.md]
contexts:
  plain: { name: Plain desk, prompt: "One line, 100% sure." }
`;

const hcl = `
locals {
  parts   = regex("(?s)^---\\n(.*?)\\n---\\n(.*)$", file("\${path.module}/contexts/support.md"))
  support = yamldecode(local.parts[0])
}

resource "avatarops_context" "support" {
  name         = local.support.name
  prompt       = trimsuffix(local.parts[1], "\\n")
  opening_text = local.support.opening_text
  links        = local.support.links
}

resource "avatarops_context" "plain" {
  name   = "Plain desk"
  prompt = "One line, 100% sure."
}
`;

const files = { "contexts/support.md": prompt, "avatarops.yaml": yaml };

describe("equal declarations in YAML and Terraform", () => {
  test("leave nothing to apply after an apply from YAML and an import into Terraform", async () => {
    const { emulator, requests, ...terraform } = await startAcceptance({ main: hcl, files });
    const environment = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" };
    const applied = await runIn(terraform.folder, ["apply", "--auto-approve"], { environment });
    expect(applied, applied.stderr).toMatchObject({ exit: 0 });
    const imports = ["support", "plain"].map((key) => {
      const name = key === "support" ? "Support desk" : "Plain desk";
      const id = emulator.world.contexts.find((one) => one.name === name)?.id;
      return `import {\n  to = avatarops_context.${key}\n  id = "${id}"\n}\n`;
    });
    await terraform.write({ "import.tf": imports.join("\n") });
    requests();
    expect(await terraform.succeed("plan")).toContain("2 to import, 0 to add, 0 to change, 0 to destroy");
    await terraform.settle();
    expect(requests().filter((one) => !one.startsWith("GET"))).toEqual([]);
  });

  test("leave nothing to apply from YAML after Terraform applied them", async () => {
    const { emulator, requests, ...terraform } = await startAcceptance({ main: hcl, files });
    await terraform.settle();
    const environment = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" };
    requests();
    const applied = await runIn(terraform.folder, ["apply", "--auto-approve"], { environment });
    expect(applied, applied.stderr).toMatchObject({ exit: 0 });
    const planned = await runIn(terraform.folder, ["plan", "--detailed-exitcode"], { environment });
    expect(planned, planned.stdout).toMatchObject({ exit: 0 });
    expect(requests().filter((one) => !one.startsWith("GET"))).toEqual([]);
    await terraform.expectNothingToDo();
    expect(await readFile(path.join(terraform.folder, "contexts/support.md"), "utf8")).toBe(prompt);
  });
});
