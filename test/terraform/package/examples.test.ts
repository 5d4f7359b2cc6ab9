// @module-tag terraform
// @module-tag night
import { readdirSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { newWorkspace } from "../../../packages/terraform-plugin/test/terraform.js";
import { sampleDataset, startEmulator } from "../../../src/emulator/index.js";
import { withActions } from "../newer-cores.js";
import { mirror, mirroredIn, newInstalled, requirement } from "./installed.js";

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

describe("the example project", () => {
  test("makes the sample account as it says, and then there is nothing to do", async () => {
    const emulator = await startEmulator({ world: sampleDataset(Date.now()) });
    onTestFinished(() => emulator.close());
    const terraform = await newInstalled({
      files: {},
      environment: {
        AVATAROPS_BASE_URL: emulator.url,
        AVATAROPS_API_KEY: "test-key",
        TF_VAR_llm_api_key: "a-key",
      },
    });
    await cp("examples/yaml", path.resolve(terraform.folder, "../yaml"), { recursive: true });
    const filter = (file: string) => !/snippets|\.terraform|tfstate/.test(file);
    await cp("examples/terraform", terraform.folder, { recursive: true, filter });
    await terraform.write({ "terraform.tf": undefined });
    await terraform.succeed("init");
    await terraform.settle();
    expect(emulator.secretValue(emulator.world.secrets.at(-1)?.id ?? "")).toBe("a-key");
    expect(JSON.parse(await terraform.succeed("output", "-json"))).toMatchObject({
      context_ids: { value: { "support-desk": expect.any(String) } },
    });
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
