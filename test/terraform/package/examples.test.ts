// @module-tag terraform
// @module-tag night
import { readdirSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { newWorkspace } from "../../../packages/terraform-plugin/test/terraform.js";
import { withActions } from "../newer-cores.js";
import { mirror, mirroredIn, requirement } from "./installed.js";

/* What the pages show and what a reader copies: looked at by terraform itself, with the provider as it was built. */

const snippets = "examples/terraform/snippets";
const folders = foldersIn(snippets);

describe("examples of the provider", () => {
  test.each(folders.filter((folder) => !isAction(folder) || withActions))("are valid: %s", async (folder) => {
    const terraform = await newWorkspace({
      files: {},
      cliConfig: mirroredIn(mirror),
      ...(isAction(folder) && { program: withActions ?? "" }),
    });
    await cp(path.join(snippets, folder), terraform.folder, { recursive: true, filter: isOfOne(folder) });
    if (folder !== ".") await terraform.write({ "terraform.tf": requirement });
    await terraform.succeed("init");
    await terraform.succeed("validate");
  });

  test("are formatted, also those in the guides", async () => {
    const guides = readdirSync("docs/guides").map((file) => readFileSync(`docs/guides/${file}`, "utf8"));
    const blocks = [...guides, readFileSync("docs/terraform.md", "utf8")].flatMap((text) =>
      [...text.matchAll(/^```(?:terraform|hcl)\n(.*?)^```$/gms)].map(([, block = ""]) => block),
    );
    expect(blocks.length).toBeGreaterThan(1);
    const files = Object.fromEntries(blocks.map((block, at) => [`block-${at}.tf`, block]));
    const terraform = await newWorkspace({ files });
    expect(await terraform.succeed("fmt", "-check", "-diff")).toBe("");
    expect(await terraform.succeed("fmt", "-check", "-diff", "-recursive", path.resolve("examples"))).toBe(
      "",
    );
  });

  test("import with the command what they import with the block", () => {
    const resources = folders.filter((folder) => folder.startsWith("resources/"));
    const read = (folder: string, file: string) => readFileSync(path.join(snippets, folder, file), "utf8");
    for (const folder of resources) {
      const [, to, id] = /to = (\S+)\n {2}id = "(.+)"/.exec(read(folder, "import.tf")) ?? [];
      expect(read(folder, "import.sh")).toBe(`terraform import ${to} ${id}\n`);
    }
    expect(resources.length).toBeGreaterThan(3);
  });
});

/** Terraform 1.11 knows no actions. */
function isAction(folder: string): boolean {
  return folder.startsWith("actions/");
}

/** Every folder with configuration, from the snippets' own on. */
function foldersIn(root: string): string[] {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" });
  return [...new Set(files.filter((file) => file.endsWith(".tf")).map((file) => path.dirname(file)))].sort();
}

/** The folder with the provider block has all the others in it. */
function isOfOne(folder: string): (file: string) => boolean {
  return (file) => folder !== "." || file === path.join(snippets, folder) || file.endsWith("provider.tf");
}
