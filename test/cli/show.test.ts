// @module-tag night
import { expect, test } from "vitest";
import { saying, startProject } from "./hosting.js";
import { change, commit, forgetTexts, git, long, promptAt, repository } from "./in-git.js";

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

test("tells environments apart", async () => {
  const project = await startProject({
    files: {
      "avatarops.yaml": [
        "contexts:",
        `  desk: { name: Desk, prompt: ${long("Everywhere.")} }`,
        "environments:",
        "  staging:",
        "    state: .avatarops/staging.json",
        `    contexts: { desk: { name: Desk (staging), prompt: ${long("Staging.")} } }`,
      ].join("\n"),
    },
  });
  git(project, "init", "--quiet");
  commit(project);
  await project.expectDone("apply", "-y");
  await project.expectDone("apply", "-y", "--env", "staging");
  await project.write(
    "avatarops.yaml",
    (await project.read("avatarops.yaml")).replaceAll("callers", "people"),
  );
  commit(project);
  await project.expectDone("apply", "-y", "--env", "staging");
  const shown = await project.json("show", "context.desk", "--env", "staging", "--at", "1");
  expect(shown.fields).toMatchObject([{ value: "Desk (staging)" }, { value: long("Staging.") }]);
  expect((await project.json("show", "context.desk")).fields).toMatchObject([
    { value: "Desk" },
    { value: long("Everywhere.") },
  ]);
  const { records: listed } = await project.json("history", "--env", "staging");
  expect(listed).toMatchObject([{ serial: 2, environment: "staging" }, { serial: 1 }]);
});
