import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { matchText, newFolder, startAndApply, startProject } from "./hosting.js";

/**
 * Symlinks, named pipes and file permissions in a project must not make a command hang or write outside the project.
 */

const context = "contexts:\n  a: { name: A, prompt: !file a.txt }\n";
const files = { "avatarops.yaml": context, "a.txt": "Be polite.\n" };

const startAppliedProject = (more: Readonly<Record<string, string>> = {}) =>
  startAndApply({ files: { ...files, ...more } });

/** Creates a file outside every project and returns its path and current text. */
async function newVictim() {
  const folder = await newFolder();
  const file = path.join(folder, "victim");
  writeFileSync(file, "mine");
  return { folder, file, text: () => readFileSync(file, "utf8") };
}

describe("pull", () => {
  test("does not write through a symlink with the name of its temporary file", async () => {
    const project = await startAppliedProject();
    const { file, text } = await newVictim();
    for (const name of [`.a.txt.${process.pid}.tmp`, ".a.txt.tmp", "a.txt.tmp", "a.txt.next"]) {
      symlinkSync(file, path.join(project.folder, name));
    }
    project.emulator.editContext("A", { prompt: "Be brief." });
    expect(await project.avatarops("pull")).toMatchObject({ exit: 0 });
    expect([text(), await project.read("a.txt")]).toEqual(["mine", "Be brief.\n"]);
  });

  test.each(["600", "640", "755", "666"])(
    "keeps the file permissions %s and leaves no temporary file",
    async (given) => {
      const mode = Number.parseInt(given, 8);
      const project = await startAppliedProject();
      const file = path.join(project.folder, "a.txt");
      chmodSync(file, mode);
      project.emulator.editContext("A", { prompt: "Be brief." });
      expect(await project.avatarops("pull")).toMatchObject({ exit: 0 });
      expect([statSync(file).mode & 0o777, await project.read("a.txt")]).toEqual([mode, "Be brief.\n"]);
      expect(readdirSync(project.folder).sort()).toEqual([".avatarops", "a.txt", "avatarops.yaml"]);
    },
  );
});

describe("symlink that points outside the project", () => {
  test("is rejected as a saved plan's path", async () => {
    const project = await startAppliedProject();
    const { folder, file, text } = await newVictim();
    symlinkSync(file, path.join(project.folder, "plan.json"));
    symlinkSync(folder, path.join(project.folder, "out"));
    symlinkSync(path.join(folder, "new"), path.join(project.folder, "new.json"));
    for (const out of ["plan.json", "out/plan.json", "new.json", "./sub/../plan.json"]) {
      await project.expectRefused(["plan", "--out", out], "error[outside-project]");
    }
    expect([text(), readdirSync(folder)]).toEqual(["mine", ["victim"]]);
  });

  test("is rejected as a saved plan's path if it points to git's own files", async () => {
    const project = await startAppliedProject({ ".git/config": "[core]\n" });
    symlinkSync(".git/config", path.join(project.folder, "plan.json"));
    expect(await project.avatarops("plan", "--out", "plan.json")).toMatchObject({ exit: 1 });
    expect(await project.read(".git/config")).toBe("[core]\n");
  });

  test("is followed to a saved plan if the symlink is itself outside the project", async () => {
    const project = await startAppliedProject({ "plans/old.json": "{}" });
    const { folder, file } = await newVictim();
    symlinkSync("plans/old.json", path.join(project.folder, "plan.json"));
    symlinkSync(file, path.join(folder, "link"));
    for (const out of ["plan.json", path.join(folder, "plan.json"), path.join(folder, "link")]) {
      expect(await project.avatarops("plan", "--out", out)).toMatchObject({ exit: 0 });
    }
    expect(JSON.parse(await project.read("plans/old.json"))).toMatchObject({ format: expect.any(String) });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ format: expect.any(String) });
  });

  test("is rejected as the path of a state, lock or journal", async () => {
    const project = await startProject({ files });
    const { folder, file, text } = await newVictim();
    mkdirSync(path.join(project.folder, ".avatarops"));
    for (const target of [path.join(folder, "new.json"), file]) {
      symlinkSync(target, path.join(project.folder, ".avatarops/state.json"));
      await project.expectRefused(["apply", "-y"], "error[outside-project]");
      execFileSync("rm", [path.join(project.folder, ".avatarops/state.json")]);
    }
    execFileSync("rmdir", [path.join(project.folder, ".avatarops")]);
    symlinkSync(folder, path.join(project.folder, ".avatarops"));
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 1 });
    expect([text(), readdirSync(folder)]).toEqual(["mine", ["victim"]]);
  });

  test("is rejected as the state's path if it leads into a .git folder", async () => {
    const project = await startProject({ files: { ...files, ".git/config": "[core]\n" } });
    for (const [link, target] of [
      [".avatarops", ".git"],
      ["state.json", ".git/hooks/pre-commit"],
    ] as const) {
      symlinkSync(target, path.join(project.folder, link));
      await project.write("avatarops.yaml", link === ".avatarops" ? context : `state: ${link}\n${context}`);
      await project.expectRefused(["apply", "-y"], "error[outside-project]");
    }
    for (const state of [".git/hooks/pre-commit", "sub/.GIT/index.lock", ".git"]) {
      await project.write("avatarops.yaml", `state: ${state}\n${context}`);
      await project.expectRefused(["apply", "-y"], "leads into git's own folder");
    }
    expect(readdirSync(path.join(project.folder, ".git"))).toEqual(["config"]);
    expect(project.emulator.world.contexts).toEqual([]);
  });

  test("is rejected as a file or folder that init or export would write", async () => {
    const project = await startProject();
    const { folder, file, text } = await newVictim();
    symlinkSync(file, path.join(project.folder, ".gitignore"));
    symlinkSync(folder, path.join(project.folder, "contexts"));
    symlinkSync(folder, path.join(project.folder, ".avatarops"));
    expect(await project.avatarops("init")).toMatchObject({ exit: 1 });
    expect(await project.avatarops("export", ".")).toMatchObject({ exit: 1 });
    expect([text(), readdirSync(folder)]).toEqual(["mine", ["victim"]]);
  });
});

test("rejects plan --out over a project file, even through a symlink", async () => {
  const project = await startAppliedProject({ "more.md": "---\nname: M\n---\nP\n" });
  const manifest = `include: [more.md]\n${context}`;
  await project.write("avatarops.yaml", manifest);
  const state = await project.read(".avatarops/state.json");
  symlinkSync(".avatarops/state.json", path.join(project.folder, "plan.json"));
  const ours = ["avatarops.yaml", "a.txt", "more.md", ".avatarops/state.json", "plan.json"];
  const beside = [".lock", ".journal", ".next", ".history"].map((end) => `.avatarops/state.json${end}`);
  for (const out of [...ours, ...beside]) {
    await project.expectRefused(["plan", "--out", out], "Choose another file for --out");
  }
  expect(await Promise.all(ours.map(project.read))).toEqual([
    ...[manifest, files["a.txt"], "---\nname: M\n---\nP\n", state, state],
  ]);
  expect(readdirSync(path.join(project.folder, ".avatarops"))).toEqual(["state.json", "state.json.history"]);
  expect(await project.avatarops("plan", "--out", ".avatarops/plan.json")).toMatchObject({ exit: 0 });
});

describe("named pipe in the project folder", () => {
  const pipes = [
    ["a prompt", "a.txt", "not-a-file"],
    ["an included file", "more.yaml", "not-a-file"],
    ["the manifest", "avatarops.yaml", "not-a-file"],
    ["the state", ".avatarops/state.json", "not-a-file"],
    ["the journal", ".avatarops/state.json.journal", "not-a-file"],
    ["the lock", ".avatarops/state.json.lock", "not-a-file"],
  ] as const;

  test.each(pipes)("is rejected without blocking if it is %s", async (_, file, code) => {
    const project = await startProject({
      files: { ...files, "avatarops.yaml": `include: [more.yaml]\n${context}`, "more.yaml": "x-a: 1\n" },
    });
    mkdirSync(path.join(project.folder, ".avatarops"));
    execFileSync("rm", ["-f", path.join(project.folder, file)]);
    execFileSync("mkfifo", [path.join(project.folder, file)]);
    const planned = await project.avatarops("apply", "-y");
    expect(planned).toMatchObject({ exit: 1, stderr: matchText(`error[${code}]`) });
    expect(planned.stderr).toContain(path.basename(file));
  });

  test("is rejected without blocking if its name is .gitignore", async () => {
    const project = await startProject();
    execFileSync("mkfifo", [path.join(project.folder, ".gitignore")]);
    expect(await project.avatarops("init")).toMatchObject({ exit: 1 });
  });
});
