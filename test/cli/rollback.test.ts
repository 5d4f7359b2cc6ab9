import { expect, test } from "vitest";
import { matchText, type Project, startAndApply, startProject } from "./hosting.js";
import {
  change,
  commit,
  forgetTexts,
  git,
  padText,
  readPromptAt,
  startAppliedInTurn,
  startRepository,
} from "./in-git.js";

const listPrompts = (project: Project) =>
  Object.fromEntries(project.emulator.world.contexts.map(({ name, prompt }) => [name, prompt]));

async function runRollback(project: Project, ...argv: string[]): Promise<string> {
  const ran = await project.expectDone("rollback", "-y", ...argv);
  return ran.stderr;
}

test("restores earlier prompts with rollback and places a hold until the files match", async () => {
  const project = await startAppliedInTurn(padText("Second."));
  const output = await runRollback(project, "--to", "1");
  expect(listPrompts(project)).toEqual({ Desk: padText("First.") });
  expect(output).toEqual(matchText("[-Second-]{+First+}."));
  expect(output).toEqual(matchText("put on hold. Apply and sync skip it until the files match"));

  const again = await project.avatarops("rollback", "-y", "--to", "1");
  expect(again).toMatchObject({ exit: 0, stdout: matchText("Nothing to do") });
  const { records } = await project.json("history");
  expect(records).toMatchObject([
    { serial: 3, command: "avatarops rollback", restored: { serial: 1 } },
    { serial: 2 },
    { serial: 1 },
  ]);
  expect(await readPromptAt(project, "3")).toBe(padText("First."));
});

test("exits with 130 and writes nothing if the user declines a rollback", async () => {
  const project = await startAppliedInTurn(padText("Second."));
  const declined = await project.avataropsWith({ typed: "no\n" }, "rollback", "--to", "1");
  expect(declined).toMatchObject({ exit: 130, stderr: matchText("Nothing was applied.") });
  expect(listPrompts(project)).toEqual({ Desk: padText("Second.") });
});

test("writes rolled-back prompts to the files on pull and ends the hold", async () => {
  const project = await startRepository();
  const first = git(project, "rev-parse", "HEAD");
  await change(project, padText("Second."));
  await runRollback(project, "--to", first.slice(0, 8));
  expect(listPrompts(project)).toEqual({ Desk: padText("First.") });
  await project.expectDone("pull", "context.desk");
  expect(git(project, "diff", first, "--", "prompts")).toBe("");
  expect(await project.expectDone("apply", "-y")).toMatchObject({
    stderr: matchText("The files contain the restored values, so the hold"),
  });
  await project.expectNothingToDo();
});

test("rolls back to the last applied ancestor of a tag", async () => {
  const project = await startRepository();
  await project.write("NOTES.md", "Release 1\n");
  commit(project);
  git(project, "tag", "v1");
  git(project, "checkout", "--quiet", "--orphan", "other");
  commit(project);
  git(project, "checkout", "--quiet", "main");
  await change(project, padText("Second."));
  const output = await runRollback(project, "--to", "v1");
  expect(output).toEqual(matchText('"v1" was never applied. Its last applied ancestor is serial 1,'));
  expect(output.match(/was\s+never\s+applied/g)).toHaveLength(1);
  expect(listPrompts(project)).toEqual({ Desk: padText("First.") });
  await project.expectRefused(["rollback", "--to", "other"], "or its ancestors. `avatarops history`");
});

test("rolls back nothing without confirmation or with --dry-run", async () => {
  const project = await startAppliedInTurn(padText("Second."));
  const state = await project.read(".avatarops/state.json");
  expect(await project.avatarops("rollback", "--to", "1")).toMatchObject({ exit: 7 });
  expect(await project.avatarops("rollback", "--to", "1", "--dry-run")).toMatchObject({
    exit: 0,
    stdout: matchText("[-Second-]{+First+}."),
  });
  expect(await project.read(".avatarops/state.json")).toBe(state);
  expect(await project.read("prompts/desk.md")).toBe(`${padText("Second.")}\n`);
  expect(listPrompts(project)).toEqual({ Desk: padText("Second.") });
  expect(await project.avataropsWith({ typed: "yes\n" }, "rollback", "--to", "1")).toMatchObject({ exit: 0 });
  expect(listPrompts(project)).toEqual({ Desk: padText("First.") });
});

test("skips a dashboard edit in a rollback without --overwrite-drift", async () => {
  const project = await startAppliedInTurn(padText("Second."));
  project.emulator.editContext("Desk", { prompt: padText("Typed into the dashboard.") });
  expect(await project.avatarops("rollback", "-y", "--to", "1")).toMatchObject({
    exit: 3,
    stdout: matchText("[conflicting]"),
    stderr: matchText("To overwrite them, roll back with --overwrite-drift"),
  });
  expect(listPrompts(project)).toEqual({ Desk: padText("Typed into the dashboard.") });
  await runRollback(project, "--to", "1", "--overwrite-drift");
  expect(listPrompts(project)).toEqual({ Desk: padText("First.") });
});

test("restores a renamed object's prompt in a rollback and lists the objects that are not rolled back", async () => {
  const environment = { KEY: "first-key" };
  const project = await startProject({ environment });
  const write = (contexts: readonly string[]) =>
    project.write(
      "avatarops.yaml",
      [
        "contexts:",
        ...contexts.map((line) => `  ${line}`),
        "secrets: { llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env KEY } }",
        "",
      ].join("\n"),
    );
  const context = (key: string, name: string, prompt: string) =>
    `${key}: { name: ${name}, prompt: ${prompt} }`;
  await write([
    context("desk", "Desk", padText("First.")),
    context("old", "Old", "Short."),
    context("same", "Same", "Unchanged."),
  ]);
  await project.expectDone("apply", "-y");
  await write([
    context("night", "Desk", padText("Second.")),
    context("new", "New", padText("New.")),
    context("same", "Same", "Unchanged."),
  ]);
  expect(await project.avatarops("state", "mv", "context.desk", "context.night")).toMatchObject({ exit: 0 });
  expect(await project.avataropsWith({ environment: { KEY: "other-key" } }, "apply", "-y")).toMatchObject({
    exit: 0,
  });
  const output = await runRollback(project, "--to", "1");
  expect(listPrompts(project)).toEqual({
    ...{ Desk: padText("First."), Old: "Short.", New: padText("New."), Same: "Unchanged." },
  });
  expect(project.emulator.world.secrets).toHaveLength(2);
  expect(output).toEqual(matchText("secret.llm is not rolled back, because secret values are not recorded"));
  const old = project.emulator.world.contexts.find(({ name }) => name === "Old")?.id;
  expect(output).toEqual(matchText(`context.old (${old}) is not managed anymore, so it stays unchanged`));
  // The object was renamed after serial 2, so both names select it.
  for (const named of [
    ["--to", "2", "context.night"],
    ["--to", "1", "context.desk"],
  ])
    expect(await project.avatarops("rollback", "-y", ...named)).toMatchObject({
      ...{ exit: 0, stdout: matchText("Nothing to do") },
    });
  expect(output).toEqual(
    matchText(
      "context.new did not exist at serial 1 and stays unchanged, because a rollback deletes nothing.",
    ),
  );
  expect(output).not.toMatch(/context\.same/);
});

test("rolls back only the named objects", async () => {
  const files = (first: string, second: string) =>
    `contexts:\n  one: { name: One, prompt: "${first}" }\n  two: { name: Two, prompt: "${second}" }\n`;
  const project = await startAndApply({ files: { "avatarops.yaml": files("A.", "B.") } });
  await project.write("avatarops.yaml", files("A, changed.", "B, changed."));
  await project.expectDone("apply", "-y");
  // The record contains short prompts in full, so no repository is needed.
  await runRollback(project, "--to", "1", "context.two");
  expect(listPrompts(project)).toEqual({ One: "A, changed.", Two: "B." });
  await runRollback(project, "--to", "1");
  expect(listPrompts(project)).toEqual({ One: "A.", Two: "B." });
});

test("rolls back nothing if an earlier prompt was not recorded", async () => {
  const project = await startAppliedInTurn(padText("Second."));
  await project.write(
    "avatarops.yaml",
    `contexts:\n  desk: { name: Desk, prompt: &long ${JSON.stringify(padText("Third."))}, opening_text: Hi }\n  twin: { name: Twin, prompt: *long }\n`,
  );
  await project.expectDone("apply", "-y");
  await forgetTexts(project);
  await project.expectRefused(
    ["rollback", "-y", "--to", "2"],
    "some texts of serial 2 were not recorded. context.desk.prompt: no history record contains it.",
  );
  expect(listPrompts(project)).toEqual({ Desk: padText("Third."), Twin: padText("Third.") });
});

test("rolls back without a git repository and without the project's earlier code", async () => {
  const code = (text: string) =>
    `import { Context, Project } from "avatarops";
const project = new Project();
new Context(project, "desk", { name: "Desk", prompt: ${JSON.stringify(padText(text))} });
export default project;
`;
  const project = await startAndApply({ files: { "avatarops.config.ts": code("First.") } });
  await project.write("avatarops.config.ts", code("Second."));
  await project.expectDone("apply", "-y");
  project.emulator.editContext("Desk", { prompt: padText("Typed into the dashboard.") });
  await project.expectDone("apply", "-y", "--overwrite-drift");
  const { stdout } = await project.avatarops("history", "context.desk", "--diff");
  expect(stdout).toContain("[-Typed into the dashboard-]{+Second+}.");
  expect(stdout).toContain("[-First-]{+Second+}.");
  expect(await readPromptAt(project, "1")).toBe(padText("First."));
  await runRollback(project, "--to", "1");
  expect(listPrompts(project)).toEqual({ Desk: padText("First.") });
});

test.each([
  [[], "required option '--to <SERIAL|COMMIT>' not specified"],
  [["--to", "9"], "The state has no serial 9"],
  [["--to", "1", "context.other"], "context.other was not managed at serial 1"],
])("rejects a rollback with the arguments %j and shows the reason", async (argv, why) => {
  const project = await startAndApply({
    files: { "avatarops.yaml": "contexts:\n  desk: { name: Desk, prompt: Hi }\n" },
  });
  expect(await project.avatarops("rollback", "-y", ...argv)).toMatchObject({
    exit: 1,
    stderr: matchText(why),
  });
});
