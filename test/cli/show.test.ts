// @module-tag night
import { expect, test } from "vitest";
import { saying } from "./hosting.js";
import { change, forgetTexts, long, promptAt, repository } from "./in-git.js";

test("shows an object as it was applied, with its texts, committed or not", async () => {
  const project = await repository();
  await project.write("prompts/desk.md", long("Never committed."));
  await project.expectDone("apply", "-y");
  await change(project, long("Third."));
  await project.write("prompts/desk.md", "Not applied.\n");
  expect(await promptAt(project, "1")).toBe(long("First."));
  expect(await promptAt(project, "2")).toBe(long("Never committed."));
  expect(await promptAt(project, "HEAD")).toBe(long("Third."));
  const now = await project.avatarops("show", "context.desk");
  expect(now).toMatchObject({ exit: 0, stdout: saying("Third. You answer callers") });
});

test("says so of a text that no record has, or only a wrong one", async () => {
  const project = await repository();
  await change(project, long("Second."));
  const file = ".avatarops/state.json.history";
  await project.write(file, (await project.read(file)).replaceAll("First.", "Forged."));
  const lost = await project.avatarops("show", "context.desk", "--at", "1");
  expect(lost).toMatchObject({
    exit: 1,
    stdout: saying("text not recorded"),
    stderr: saying("no record of the history has it"),
  });
  expect(lost.stdout).not.toMatch(/First|Forged/);
  expect(lost.stdout).toContain('"Desk"');
  await forgetTexts(project);
  const diff = await project.avatarops("history", "context.desk", "--diff");
  expect(diff.stdout).toEqual(saying("text not shown: no record of the history has it"));
});

test("knows what an interrupted run wrote, from the record of what replaced it", async () => {
  const project = await repository();
  await forgetTexts(project);
  await change(project, long("Second."));
  expect(await promptAt(project, "1")).toBe(long("First."));
  const diff = await project.avatarops("history", "context.desk", "--diff");
  expect(diff).toMatchObject({ stdout: saying("[-First-]{+Second+}.") });
  expect(diff.stdout).not.toContain("text not shown");
});
