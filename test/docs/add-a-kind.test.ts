// @module-tag night
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tools } from "../../scripts/tools.js";
import { copyRepository, follow, installed, readWalkthrough } from "./walkthrough.js";

/* Follows the walkthrough "Add a kind" in ARCHITECTURE.md exactly, in a copy of the repository. */

const walkthrough = readWalkthrough("ARCHITECTURE.md", "Add a kind");

test("adds a kind with the three files and four lines described in ARCHITECTURE.md", {
  tags: "cdktf",
  timeout: 3_600_000,
}, async () => {
  const { folder, run } = copyRepository();
  git(folder, "init", "--quiet");
  git(folder, "add", ".");
  const byHand = follow(walkthrough, folder);

  expect(byHand.sort()).toEqual([
    "docs/service.md",
    "src/core/api/lexicons.ts",
    "src/core/api/resources.ts",
    "src/core/kinds/index.ts",
    "src/core/kinds/lexicon.ts",
    "src/emulator/lexicons.ts",
    "src/emulator/resources.ts",
    "test/kinds/lexicon.test.ts",
  ]);
  await run("npm run cdktf:bindings");
  for (const line of listCommands(walkthrough)) await run(line);

  expect(listChanged(folder).filter((file) => !byHand.includes(file))).toEqual([
    "avatarops.schema.json",
    "docs/configuration.md",
    "docs/data-sources/lexicon.md",
    "docs/data-sources/lexicons.md",
    "docs/index.md",
    "docs/kinds.md",
    "docs/list-resources/lexicon.md",
    "docs/resources/lexicon.md",
    "docs/terraform.md",
    "examples/terraform/snippets/data-sources/avatarops_lexicon/data-source.tf",
    "examples/terraform/snippets/data-sources/avatarops_lexicons/data-source.tf",
    "examples/terraform/snippets/resources/avatarops_lexicon/import.sh",
    "examples/terraform/snippets/resources/avatarops_lexicon/import.tf",
    "examples/terraform/snippets/resources/avatarops_lexicon/resource.tf",
    "src/core/constructs/generated/differences.ts",
    "src/core/constructs/generated/lexicon.ts",
    "src/core/constructs/index.ts",
    "src/entrypoints/cdktf/generated/bindings/data-avatarops-lexicon/index.ts",
    "src/entrypoints/cdktf/generated/bindings/data-avatarops-lexicons/index.ts",
    "src/entrypoints/cdktf/generated/bindings/lexicon/index.ts",
    "src/entrypoints/cdktf/generated/lexicon.ts",
    "src/entrypoints/cdktf/index.ts",
    "src/index.ts",
  ]);
  // Checks formatting, generated files and the Terraform schema.
  await run("npx biome check src test/kinds");
  await run("npm run generate -- --check");
  await run("npx vitest run test/constructs/equality.test.ts test/terraform/unit/schema.test.ts");
  await run("npx vitest run test/cdktf/words.test.ts -t cdktn");
  // Tests fields of every type in all commands.
  cpSync("test/docs/lexicon-proof.ts", path.join(folder, "test/kinds/lexicon-proof.test.ts"));
  await run("npx vitest run test/kinds/lexicon-proof.test.ts");
  const { tofu } = tools;
  if (tofu.has())
    await run("npx vitest run test/kinds/lexicon-proof.test.ts -t terraform", { TERRAFORM: tofu.path });
});

function git(folder: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8" });
}

function listChanged(folder: string): string[] {
  git(folder, "add", "--intent-to-add", ".");
  return git(folder, "diff", "--name-only")
    .split("\n")
    .filter((file) => file !== "" && !installed.includes(file));
}

function listCommands(text: string): string[] {
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) => block.trim().split("\n"));
}
