// @module-tag night
import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { builtCores } from "../../scripts/terraform/built.js";

/* Follows the walkthrough "Add a kind" of ARCHITECTURE.md exactly in a copy of the repository, and does nothing else. */

const [, walkthrough = ""] =
  /^## Add a kind\n(.*?)(?=^## |(?![\s\S]))/ms.exec(readFileSync("ARCHITECTURE.md", "utf8")) ?? [];

test("adds a kind with the walkthrough's three files and four lines", {
  tags: "cdktf",
  timeout: 3_600_000,
}, async () => {
  const { folder, run } = copyRepository();
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
  // The result is formatted, generated completely, and has a valid Terraform schema.
  await run("npx biome check src test/kinds");
  await run("npm run generate -- --check");
  await run("npx vitest run test/constructs/equality.test.ts test/terraform/unit/schema.test.ts");
  await run("npx vitest run test/cdktf/words.test.ts -t cdktn");
  // The fields have every type, and users can use them everywhere.
  cpSync("test/docs/lexicon-proof.ts", path.join(folder, "test/kinds/lexicon-proof.test.ts"));
  await run("npx vitest run test/kinds/lexicon-proof.test.ts");
  const { tofu } = builtCores;
  if (tofu.has())
    await run("npx vitest run test/kinds/lexicon-proof.test.ts -t terraform", { TERRAFORM: tofu.program });
});

/** Folders that are neither in git nor rebuilt. */
const installed = ["node_modules", "dist", "tools/cdktf/node_modules"];

/** Copies the files that git knows and links the installed packages. */
function copyRepository() {
  const folder = mkdtempSync(path.join(tmpdir(), "avatarops-walkthrough-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter(Boolean)) cpSync(file, path.join(folder, file));
  for (const name of installed) symlinkSync(path.resolve(name), path.join(folder, name));
  git(folder, "init", "--quiet");
  git(folder, "add", ".");
  const run = async (line: string, more: Readonly<Record<string, string>> = {}) => {
    const [command = "", ...words] = line.split(" ");
    const options = { cwd: folder, maxBuffer: 2 ** 26, env: { ...process.env, ...more } };
    const told = await promisify(execFile)(command, words, options).catch(
      (error: { stdout?: string; stderr?: string }) => ({ failed: line, ...error }),
    );
    const failure = "failed" in told ? `${told.failed}\n${told.stdout}\n${told.stderr}` : "";
    expect(failure).toBe("");
  };
  return { folder, run };
}

function git(folder: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8" });
}

function listChanged(folder: string): string[] {
  git(folder, "add", "--intent-to-add", ".");
  return git(folder, "diff", "--name-only")
    .split("\n")
    .filter((file) => file !== "" && !installed.includes(file));
}

/** Writes each code block to the file named before it and applies each diff. */
function follow(text: string, folder: string): string[] {
  const touched = new Set<string>();
  let file = "";
  for (const [, prose = "", language, code = ""] of text.matchAll(/(.*?)^```(\w+)\n(.*?)^```$/gms)) {
    file = [...prose.matchAll(/`((?:src|test|docs)\/[\w/.-]+\.(?:ts|md))`/g)].at(-1)?.[1] ?? file;
    if (language === "sh") continue;
    touched.add(file);
    const target = path.join(folder, file);
    writeFileSync(target, language === "diff" ? applyDiff(readFileSync(target, "utf8"), code) : code);
  }
  return [...touched];
}

/** Applies a diff whose context lines must exist exactly once. */
function applyDiff(text: string, diff: string): string {
  const lines = diff.split("\n").slice(0, -1);
  const side = (mark: string) =>
    lines.filter((line) => line.startsWith(" ") || line.startsWith(mark)).map((line) => `${line.slice(1)}\n`);
  const before = side("-").join("");
  expect(text.split(before)).toHaveLength(2);
  return text.replace(before, () => side("+").join(""));
}

function listCommands(text: string): string[] {
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) => block.trim().split("\n"));
}
