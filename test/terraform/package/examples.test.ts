// @module-tag terraform
// @module-tag night
import { readdirSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { newWorkspace } from "../../../packages/terraform-plugin/test/terraform.js";
import { withActions } from "../newer-cores.js";
import { makeCliConfig, mirror, requirement } from "./installed.js";

/* Checks the documentation's examples with terraform and the built provider. */

const snippets = "examples/terraform/snippets";
const folders = listFolders(snippets);

describe("provider examples", () => {
  test.each(folders.filter((folder) => !isAction(folder) || withActions))("are valid: %s", async (folder) => {
    const terraform = await newWorkspace({
      files: {},
      cliConfig: makeCliConfig(mirror),
      ...(isAction(folder) && { program: withActions ?? "" }),
    });
    await cp(path.join(snippets, folder), terraform.folder, { recursive: true, filter: belongsTo(folder) });
    if (folder !== ".") await terraform.write({ "terraform.tf": requirement });
    await terraform.succeed("init");
    await terraform.succeed("validate");
  });

  test("are formatted, including those in the guides", async () => {
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

  test("import the same object with the import command and the import block", () => {
    const resources = folders.filter((folder) => folder.startsWith("resources/"));
    const read = (folder: string, file: string) => readFileSync(path.join(snippets, folder, file), "utf8");
    for (const folder of resources) {
      const [, to, id] = /to = (\S+)\n {2}id = "(.+)"/.exec(read(folder, "import.tf")) ?? [];
      expect(read(folder, "import.sh")).toBe(`terraform import ${to} ${id}\n`);
    }
    expect(resources.length).toBeGreaterThan(3);
  });
});

/** Whether the folder contains an action, which Terraform 1.11 does not support. */
function isAction(folder: string): boolean {
  return folder.startsWith("actions/");
}

/** Returns each folder with configuration, starting with `root`. */
function listFolders(root: string): string[] {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" });
  return [...new Set(files.filter((file) => file.endsWith(".tf")).map((file) => path.dirname(file)))].sort();
}

/**
 * Returns a filter for the files of a folder. For the root, accepts only provider.tf, because the root contains all
 * other folders.
 */
function belongsTo(folder: string): (file: string) => boolean {
  return (file) => folder !== "." || file === path.join(snippets, folder) || file.endsWith("provider.tf");
}
