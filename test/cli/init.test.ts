import { rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import ownPackage from "../../package.json" with { type: "json" };
import { createSampleDataset } from "../../src/emulator/index.js";
import { matchText, newFolder, startProject } from "./hosting.js";

const files = [
  "avatarops.yaml",
  "contexts/welcome.md",
  "avatarops.schema.json",
  ".vscode/settings.json",
  ".gitattributes",
  ".gitignore",
];

const typescriptFiles = [
  "avatarops.config.ts",
  "prompts/welcome.md",
  "package.json",
  "tsconfig.json",
  ".gitattributes",
  ".gitignore",
];

describe("init", () => {
  test("creates a project that validates, plans and applies", async () => {
    const project = await startProject();
    const made = await project.avatarops("init");
    expect(made).toMatchObject({ exit: 0, stdout: `${files.join("\n")}\n` });
    expect(made.stderr).toContain("Next: set AVATAROPS_BASE_URL");
    expect(await project.avatarops("validate")).toEqual({
      exit: 0,
      stdout: "",
      stderr: "Valid: 1 object in 2 files.\n",
    });
    expect(await project.avatarops("plan", "--detailed-exitcode")).toMatchObject({ exit: 2 });
    expect(project.has(".avatarops")).toBe(false);
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    expect(project.emulator.world.contexts).toMatchObject([
      { name: "Welcome", links: [{ faq: "Opening hours" }] },
    ]);
    await project.expectNothingToDo();
  });

  test("creates a TypeScript project that plans and applies even before npm install", async () => {
    const project = await startProject();
    const made = await project.avatarops("init", "--typescript");
    expect(made).toMatchObject({ exit: 0, stdout: `${typescriptFiles.join("\n")}\n` });
    expect(made.stderr).toContain("Next: `npm install`, set AVATAROPS_BASE_URL");
    expect(await project.avatarops("plan", "--detailed-exitcode")).toMatchObject({ exit: 2 });
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    await project.expectNothingToDo();
    const { devDependencies } = JSON.parse(await project.read("package.json"));
    const { typescript, "@types/node": node } = ownPackage.devDependencies;
    expect(devDependencies).toEqual({
      avatarops: `file:${path.resolve(".")}`,
      "@types/node": `^${node}`,
      typescript: `^${typescript}`,
    });
    expect(await project.read(".gitignore")).toContain("node_modules/\n");
  });

  test("keeps an existing package.json and recommends npm install --save-dev", async () => {
    const project = await startProject({ files: { "package.json": "{}" } });
    const { stderr } = await project.avatarops("init", "--typescript");
    expect(stderr).toEqual(matchText('Set "type": "module" in the existing package.json'));
    expect(stderr).toEqual(
      matchText(`Next: \`npm install --save-dev ${path.resolve(".")} @types/node typescript\``),
    );
    expect(await project.read("package.json")).toBe("{}");
  });

  test("creates a project whose preset can start sandbox and non-sandbox sessions on the emulator", async () => {
    const project = await startProject({ world: createSampleDataset(Date.now()) });
    await project.avatarops("init");
    await project.avatarops("apply", "-y");
    expect(await project.avatarops("smoke")).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/welcome.*passed/s),
    });
    for (const mode of [["--sandbox"], []])
      expect(await project.avatarops("token", "welcome", ...mode)).toMatchObject({
        exit: 0,
        stdout: expect.stringMatching(/^session-token-/),
      });
  });

  test("prints commands with the same shell quoting as plan", async () => {
    const project = await startProject();
    const made = await project.avatarops("init", "it's my own");
    expect(made.stdout).toBe(files.map((file) => `it's my own/${file}\n`).join(""));
    expect(made.stderr).toContain("`cd 'it'\\''s my own'`");
    const at = ["-f", "it's my own/avatarops.yaml"];
    const planned = await project.avatarops("plan", ...at, "--out", "my plan.json");
    expect(planned.stderr).toContain(
      "`avatarops apply 'my plan.json' --file 'it'\\''s my own/avatarops.yaml'`",
    );
    const missing = await project.avatarops("apply", "no plan.json");
    expect(missing.stderr).toEqual(matchText("`avatarops plan --out 'no plan.json'`"));
  });

  test.each(["avatarops.yaml", "avatarops.config.ts", "contexts/welcome.md"])(
    "keeps an existing %s",
    async (file) => {
      const project = await startProject({ files: { [file]: "mine" } });
      await project.expectRefused(["init"], file);
      expect(await project.read(file)).toBe("mine");
      for (const other of ["avatarops.schema.json", "package.json"]) expect(project.has(other)).toBe(false);
    },
  );

  test.each([
    ["contexts", []],
    [".vscode", []],
    ["prompts", ["--typescript"]],
  ])("leaves no main file behind if %s leads out of the folder", async (name, options) => {
    const project = await startProject();
    symlinkSync(await newFolder(), path.join(project.folder, name));
    await project.expectRefused(["init", ...options], "outside");
    expect(["avatarops.yaml", "avatarops.config.ts"].filter((file) => project.has(file))).toEqual([]);
    rmSync(path.join(project.folder, name));
    await project.expectDone("init", ...options);
  });

  test("adds missing .gitignore entries only once", async () => {
    const project = await startProject({ files: { ".gitignore": "node_modules/\n.env" } });
    await project.avatarops("init");
    expect(await project.read(".gitignore")).toBe(
      "node_modules/\n.env\n.avatarops/*.lock*\n.avatarops/*.journal\n.avatarops/*.next\navatarops.schema.json\n",
    );
  });
});
