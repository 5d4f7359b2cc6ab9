import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { matchText, type Project, startAndApply } from "./hosting.js";

/*
 * A pattern in `include` must not skip files in silence, because `on_removal: delete` then deletes their objects.
 */

const format = (name: string) => `---\nname: ${name}\n---\nBe brief.\n`;

/** Applies a context in each place where a pattern finds it: in its folder and in a subfolder. */
async function startWithPattern(pattern = "contexts/**/*.md"): Promise<Project> {
  const project = await startAndApply({
    files: {
      "avatarops.yaml": `service: { profile: liveavatar }\non_removal: { contexts: delete }\ninclude: ["${pattern}"]\n`,
      "contexts/desk.md": format("Desk"),
      "contexts/team/door.md": format("Door"),
    },
  });
  expect(project.emulator.world.contexts).toHaveLength(2);
  return project;
}

/** Expects that every command that reads the files fails with this text, and that no object is deleted. */
async function expectKept(project: Project, why: string): Promise<void> {
  for (const argv of [["validate"], ["plan"], ["apply", "-y"]]) {
    const { exit, stdout, stderr } = await project.avatarops(...argv);
    expect([exit, stdout + stderr], argv.join(" ")).toEqual([1, matchText(why)]);
    expect(`${stdout}${stderr}`.match(/^error\[/gm), argv.join(" ")).toHaveLength(1);
  }
  expect(project.emulator.world.contexts).toHaveLength(2);
}

describe("include pattern", () => {
  const desk = "contexts/desk.md";
  const replaceDesk: readonly [string, string, (file: string) => void][] = [
    [
      "a symlink whose target is missing",
      `error[missing-file] there is no file ${desk}`,
      (file) => symlinkSync("gone.md", file),
    ],
    [
      "a symlink to itself",
      `error[unreadable-file] ${desk} cannot be read (ELOOP)`,
      (file) => symlinkSync("desk.md", file),
    ],
    ["a folder", `error[not-a-file] ${desk} is a folder`, (file) => mkdirSync(file)],
    ["a pipe", `error[not-a-file] ${desk} is a folder, a pipe`, (file) => execFileSync("mkfifo", [file])],
  ];
  test.skipIf(process.platform === "win32").each(replaceDesk)(
    "fails if a file became %s, and keeps its object",
    async (_, why, replace) => {
      const project = await startWithPattern();
      rmSync(path.join(project.folder, desk));
      replace(path.join(project.folder, desk));
      await expectKept(project, why);
    },
  );

  test("fails at a broken symlink that may stand for a folder with matching files", async () => {
    const project = await startWithPattern();
    const team = path.join(project.folder, "contexts/team");
    renameSync(team, path.join(project.folder, "team"));
    symlinkSync("../team", team);
    await project.expectNothingToDo();
    renameSync(path.join(project.folder, "team"), path.join(project.folder, "moved"));
    await expectKept(
      project,
      "error[unreadable-file] contexts/team cannot be read (broken symlink), so contexts/**/*.md does not find all files",
    );
  });

  test.each([
    ["a file", (folder: string) => execFileSync("touch", [folder]), "ENOTDIR"],
    ["a broken symlink", (folder: string) => symlinkSync("gone", folder), "broken symlink"],
  ])("fails if its folder became %s", async (_, replace, code) => {
    const project = await startWithPattern();
    rmSync(path.join(project.folder, "contexts"), { recursive: true });
    replace(path.join(project.folder, "contexts"));
    await expectKept(project, `error[unreadable-file] contexts cannot be read (${code})`);
  });

  test.skipIf(process.getuid?.() === 0)("fails at a folder that may not be read", async () => {
    const project = await startWithPattern();
    const team = path.join(project.folder, "contexts/team");
    chmodSync(team, 0);
    await expectKept(project, "error[unreadable-file] contexts/team cannot be read (EACCES)");
    chmodSync(team, 0o755);
  });

  test.each(["contexts/**/*.md", "con*/**/*.md"])(
    "ignores other folders and broken symlinks that %s cannot match",
    async (pattern) => {
      const project = await startWithPattern(pattern);
      const at = (file: string) => path.join(project.folder, file);
      mkdirSync(at("contexts/node_modules/.bin"), { recursive: true });
      mkdirSync(at("contexts/v1.2"));
      symlinkSync("gone", at("elsewhere"));
      symlinkSync("user@host.42", at("contexts/.#desk.md"));
      symlinkSync("gone", at("contexts/node_modules/.bin/tool"));
      symlinkSync("/nowhere/gone", at("contexts/outside"));
      await project.expectNothingToDo();
    },
  );

  test("ignores broken symlinks and folders below the depth of a pattern without **", async () => {
    const project = await startAndApply({
      files: {
        "avatarops.yaml": `include: ["contexts/*.md"]\n`,
        [desk]: format("Desk"),
        "contexts/team/door.md": format("Door"),
      },
    });
    symlinkSync("gone", path.join(project.folder, "contexts/link"));
    await project.expectNothingToDo();
  });
});
