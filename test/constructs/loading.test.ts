import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { findBuilt } from "../built.js";
import { createProjectFolder } from "../manifest/project.js";

/*
 * Checks which packages each command loads. Runs the built program and records all loaded modules, including those in
 * the bundle.
 */

const contexts = "contexts: { desk: { name: Desk, prompt: You help. } }\n";
const code = `import { Project } from "avatarops";\nexport default new Project();\n`;

/** Returns the packages and our own modules that a program loads. */
async function listImports(files: Record<string, string>, ...args: string[]): Promise<Set<string>> {
  const cwd = createProjectFolder(files);
  const notes = path.join(cwd, "imports.txt");
  const coverage = path.join(cwd, "coverage");
  const hook = pathToFileURL(path.resolve("test/constructs/note-imports.mjs")).href;
  await promisify(execFile)(process.execPath, ["--import", hook, ...args], {
    cwd,
    env: { ...process.env, NOTE_IMPORTS: notes, NODE_V8_COVERAGE: coverage },
  });
  const urls = [
    ...readFileSync(notes, "utf8").split("\n"),
    ...readdirSync(coverage).flatMap((file) => listExecuted(path.join(coverage, file))),
  ];
  return new Set(
    urls.flatMap(
      (url) =>
        /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ??
        /(?:dist|^src)\/(?:(?:base|core|sessions|output|review|entrypoints)\/)?([\w-]+)\//.exec(url)?.[1] ??
        [],
    ),
  );
}

/** Returns the bundled modules that ran. Each is a function named after its file. */
function listExecuted(coverage: string): string[] {
  const { result } = JSON.parse(readFileSync(coverage, "utf8")) as {
    result: { functions: { functionName: string; ranges: { count: number }[] }[] }[];
  };
  return result
    .flatMap(({ functions }) => functions)
    .filter(({ functionName, ranges }) => functionName.includes("/") && ranges[0]?.count)
    .map(({ functionName }) => functionName);
}

const program = findBuilt();
const heavy = ["constructs", "jiti"];

test("loads neither constructs nor a TypeScript runner for a YAML project", async () => {
  const loaded = await listImports({ "avatarops.yaml": contexts }, program, "validate");
  expect([...loaded]).toEqual(expect.arrayContaining(["manifest", "yaml"]));
  expect(heavy.filter((name) => loaded.has(name))).toEqual([]);
});

test("loads constructs and a TypeScript runner for a TypeScript project", async () => {
  const loaded = await listImports({ "avatarops.config.ts": code }, program, "validate");
  expect(heavy.filter((name) => loaded.has(name))).toEqual(heavy);
});

test("loads only the CLI module for --version", async () => {
  expect([...(await listImports({}, program, "--version"))]).toEqual(["cli"]);
});

test("loads no CDK module, Terraform module or TypeScript runner when the library is imported", async () => {
  const index = pathToFileURL(findBuilt("index.js")).href;
  const loaded = await listImports({}, "--input-type=module", "--eval", `import ${JSON.stringify(index)};`);
  expect(loaded).toContain("constructs");
  const refused = ["jiti", "cdktf", "cdktn", "terraform", "@bufbuild", "cli", "emulator"];
  expect(refused.filter((name) => loaded.has(name))).toEqual([]);
});
