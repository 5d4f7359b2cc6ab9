import { chownSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { matchText, type Project, startProject } from "./hosting.js";
import { git } from "./in-git.js";

const manifest = "contexts:\n  desk: { name: Desk, prompt: !file prompts/desk.md }\n";

async function startInSubfolder(): Promise<Project & { readonly prompts: string }> {
  const project = await startProject({
    files: { "avatarops.yaml": manifest, "prompts/desk.md": "Be kind.\n" },
  });
  return { ...project, prompts: path.join(project.folder, "prompts") };
}

describe("command in a project subfolder", () => {
  test("uses the project in a parent folder, but reads and shows paths relative to the current folder", async () => {
    const project = await startInSubfolder();
    const cwd = project.prompts;
    const run = (...argv: string[]) => project.avataropsWith({ cwd }, ...argv);
    const using = matchText(`Using the project ${path.join("..", "avatarops.yaml")}.`);
    expect(await run("apply", "-y")).toMatchObject({ exit: 0, stderr: using });
    expect(await run("plan", "--out", "plan.json")).toMatchObject({
      exit: 0,
      stdout: matchText("Nothing to do"),
    });
    expect([project.has("prompts/plan.json"), project.has(".avatarops/state.json")]).toEqual([true, true]);
    project.emulator.editContext("Desk", { prompt: "Be kinder." });
    expect(await run("pull", "-q")).toMatchObject({ exit: 0, stderr: "" });
    expect(await project.read("prompts/desk.md")).toBe("Be kinder.\n");
    const refused = await run("validate", "--all");
    expect(refused).toMatchObject({ exit: 1, stderr: matchText("no-projects") });
    expect(refused.stderr).toEqual(matchText("../avatarops.yaml is in a parent folder: `cd ..` first."));
  });

  test("rejects a parent folder with both a YAML and a TypeScript main file", async () => {
    const project = await startInSubfolder();
    await project.write("avatarops.config.ts", "");
    const ran = await project.avataropsWith({ cwd: project.prompts }, "plan");
    expect(ran).toMatchObject({ exit: 1, stderr: matchText("Choose one with --file.") });
  });

  test("ignores a project outside the git repository or owned by another user", async () => {
    const project = await startInSubfolder();
    const cwd = project.prompts;
    const missing = { exit: 1, stdout: matchText("error[missing-file]") };
    git({ ...project, folder: cwd }, "init", "--quiet");
    expect(await project.avataropsWith({ cwd }, "validate")).toMatchObject(missing);
    rmSync(path.join(cwd, ".git"), { recursive: true });
    mkdirSync(path.join(cwd, "inner"));
    expect(await project.avataropsWith({ cwd: path.join(cwd, "inner") }, "validate")).toMatchObject({
      exit: 0,
    });
    if (process.getuid?.() !== 0) return;
    chownSync(path.join(project.folder, "avatarops.yaml"), 65_534, 65_534);
    expect(await project.avataropsWith({ cwd }, "validate")).toMatchObject(missing);
  });
});
