import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createManifestSchema } from "../../src/core/manifest/index.js";
import { sourceNames } from "../../src/core/secrets/index.js";
import { generateDataset } from "../../src/emulator/index.js";
import { type Project, startProject } from "./hosting.js";

const startWith = async (...argv: string[]): Promise<Project> => {
  const project = await startProject({ world: generateDataset({ contexts: 2 }) });
  expect(await project.avatarops(...argv)).toMatchObject({ exit: 0 });
  return project;
};

const runGit = ({ folder }: Project, ...args: string[]) =>
  execFileSync("git", args, { cwd: path.join(folder, "mine"), encoding: "utf8" });

describe.each(["init", "export"])("a project written by %s", (command) => {
  test("contains the schema that the manifest's first line refers to", async () => {
    const project = await startWith(command, "mine");
    const [, named = ""] =
      /^# yaml-language-server: \$schema=(\S+)\n/.exec(await project.read("mine/avatarops.yaml")) ?? [];
    expect(named).toMatch(/^\.\//);
    expect(JSON.parse(await project.read(path.join("mine", named)))).toEqual(createManifestSchema());
    // Git ignores the schema, because it is as long as a whole project and would dominate a review.
    runGit(project, "init", "-q");
    const shown = runGit(project, "status", "--short", "--untracked-files=all");
    expect(shown).toContain("?? avatarops.yaml\n");
    expect(shown).not.toContain("schema");
  });

  test("has no schema file if the repository has the package installed", async () => {
    const schema = "node_modules/avatarops/avatarops.schema.json";
    const project = await startProject({ files: { [schema]: "{}" } });
    expect(await project.avatarops(command, "teams/mine")).toMatchObject({ exit: 0 });
    expect(await project.read("teams/mine/avatarops.yaml")).toMatch(
      `# yaml-language-server: $schema=../../${schema}\n`,
    );
    expect(project.has("teams/mine/avatarops.schema.json")).toBe(false);
    await project.write("teams/.git", "");
    expect(await project.avatarops(command, "teams/other")).toMatchObject({ exit: 0 });
    expect(project.has("teams/other/avatarops.schema.json")).toBe(true);
  });

  test("lists every YAML tag in its VS Code settings", async () => {
    const project = await startWith(command, "mine");
    const settings = JSON.parse(await project.read("mine/.vscode/settings.json"));
    const tags: string[] = settings["yaml.customTags"];
    expect(tags.slice(0, 5)).toEqual([
      ...["!env scalar", "!file scalar", "!file mapping", "!exec sequence", "!exec mapping"],
    ]);
    expect(tags).toEqual(expect.arrayContaining(["!vault scalar", "!vault mapping"]));
    expect(new Set(tags.map((tag) => tag.replace(/^!| \w+$/g, "")))).toEqual(new Set(sourceNames));
  });

  test("makes git check out prompts with LF line endings, even on Windows", async () => {
    const project = await startWith(command, "mine");
    runGit(project, "init", "-q");
    const asked = ["contexts/a.md", "prompts/a.txt", "prompts/de/a.md"];
    const attributes = runGit(project, "check-attr", "text", "eol", "--", ...asked)
      .trim()
      .split("\n");
    expect(attributes).toEqual(asked.flatMap((file) => [`${file}: text: set`, `${file}: eol: lf`]));
  });

  test("keeps existing files and only adds lines to the start of .gitattributes", async () => {
    const mine = {
      "mine/.vscode/settings.json": '{ "editor.rulers": [80] }',
      "mine/avatarops.schema.json": "{}",
      "mine/.gitattributes": "*.png binary",
    };
    const project = await startProject({ files: mine, world: generateDataset({ contexts: 1 }) });
    const made = await project.avatarops(command, "mine");
    expect(made).toMatchObject({ exit: 0 });
    const { "mine/.gitattributes": attributes, ...kept } = mine;
    for (const [file, text] of Object.entries(kept)) expect(await project.read(file)).toBe(text);
    expect(await project.read("mine/.gitattributes")).toBe(
      `*.md text eol=lf\nprompts/** text eol=lf\n${attributes}`,
    );
  });

  test("lets line ending rules in an existing .gitattributes win", async () => {
    const mine = "\uFEFF*.txt text\r\n*.md text eol=crlf\r\n";
    const project = await startProject({ files: { "mine/.gitattributes": mine } });
    expect(await project.avatarops(command, "mine")).toMatchObject({ exit: 0 });
    expect(await project.read("mine/.gitattributes")).toBe(
      mine.replace("\uFEFF", "\uFEFF*.md text eol=lf\r\nprompts/** text eol=lf\r\n"),
    );
    runGit(project, "init", "-q");
    expect(runGit(project, "check-attr", "eol", "--", "contexts/a.md")).toContain("eol: crlf");
  });

  test("keeps the bytes and line endings of an existing .gitignore", async () => {
    const project = await startProject({ world: generateDataset({ contexts: 1 }) });
    const file = path.join(project.folder, "mine/.gitignore");
    const mine = Buffer.from("größe/\r\ncafé/", "latin1");
    mkdirSync(path.dirname(file));
    writeFileSync(file, mine);
    expect(await project.avatarops(command, "mine")).toMatchObject({ exit: 0 });
    const written = readFileSync(file);
    expect(written.subarray(0, mine.length)).toEqual(mine);
    expect(written.subarray(mine.length).toString()).toMatch(/^(?:\r\n[^\r\n]+)+\r\n$/);
  });
});
