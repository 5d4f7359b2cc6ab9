import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { projectWith } from "../manifest/project.js";

/*
 * What is loaded for what, as packages: nobody pays for what they do not use. The program is the built one.
 */

const contexts = "contexts: { desk: { name: Desk, prompt: You help. } }\n";
const code = `import { Project } from "avatarops";\nexport default new Project();\n`;

/** The packages that a program imports, and the rooms of ours. */
async function importsOf(files: Record<string, string>, ...args: string[]): Promise<Set<string>> {
  const cwd = projectWith(files);
  const notes = path.join(cwd, "imports.txt");
  const hook = pathToFileURL(path.resolve("test/constructs/note-imports.mjs")).href;
  await promisify(execFile)(process.execPath, ["--import", hook, ...args], {
    cwd,
    env: { ...process.env, NOTE_IMPORTS: notes },
  });
  const urls = readFileSync(notes, "utf8").split("\n");
  return new Set(
    urls.flatMap(
      (url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? /dist\/(\w+)\//.exec(url)?.[1] ?? [],
    ),
  );
}

const program = path.resolve("dist/cli/main.js");
const heavy = ["constructs", "jiti"];

test("a project in YAML loads neither constructs nor what runs TypeScript", async () => {
  const loaded = await importsOf({ "avatarops.yaml": contexts }, program, "validate");
  expect([...loaded]).toEqual(expect.arrayContaining(["manifest", "yaml"]));
  expect(heavy.filter((name) => loaded.has(name))).toEqual([]);
});

test("a project in TypeScript loads both", async () => {
  const loaded = await importsOf({ "avatarops.config.ts": code }, program, "validate");
  expect(heavy.filter((name) => loaded.has(name))).toEqual(heavy);
});

test("the version is told without any of it", async () => {
  expect([...(await importsOf({}, program, "--version"))]).toEqual(["cli"]);
});

test("the library loads no CDK, no Terraform and nothing that runs TypeScript", async () => {
  const index = pathToFileURL(path.resolve("dist/index.js")).href;
  const loaded = await importsOf({}, "--input-type=module", "--eval", `import ${JSON.stringify(index)};`);
  expect(loaded).toContain("constructs");
  const refused = ["jiti", "cdktf", "cdktn", "terraform", "@bufbuild", "cli", "emulator"];
  expect(refused.filter((name) => loaded.has(name))).toEqual([]);
});
