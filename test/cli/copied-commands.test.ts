/**
 * Runs commands printed by `prune` and `import --write --all` in the repository root, which contains another project.
 * The commands must act on the project and environment that the message is about.
 */
import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { type CommandResult, type Project, startProject } from "./hosting.js";

const at = "bots/support/avatarops.yaml";
const options = ["--file", at, "--env", "staging"];
const chosen = options.join(" ");
const profile = "service: { profile: liveavatar }\n";
const formatDesks = (more = "") =>
  `${profile}environments: { staging: { state: s.json }, production: { state: p.json } }\ncontexts:\n  desk: { name: Desk, prompt: Be kind. }\n${more}`;

/** `context.twin` matches two objects in the account. `Winter` and `Summer` are undeclared. */
async function start(): Promise<Project> {
  const root = `${profile}contexts: { root: { name: Root desk, prompt: Wait. } }\n`;
  const project = await startProject({
    files: { "avatarops.yaml": root, [at]: formatDesks() },
    world: createEmptyDataset(),
    emulator: { profile: "liveavatar", behavior: { contextNames: "free" } },
  });
  for (const argv of [[], options]) await project.expectDone("apply", "-y", ...argv);
  for (const name of ["Twin", "Twin", "Winter", "Summer"])
    project.emulator.addContext({ name, prompt: "Old." });
  await project.write(at, formatDesks("  twin: { name: Twin, prompt: x }\n"));
  return project;
}

const listContexts = ({ emulator }: Project, wanted: string) =>
  emulator.world.contexts.filter(({ name }) => name === wanted);
const findId = (project: Project, wanted: string) => listContexts(project, wanted)[0]?.id ?? "";

/** Returns the only command in backticks that starts with this text. */
function findCommand({ stdout, stderr }: CommandResult, start: string): string[] {
  const text = (stdout + stderr).replace(/\s+/g, " ");
  const found = [...text.matchAll(/`avatarops ([^`]+)`/g)].map(([, command = ""]) => command);
  const [command = "", ...others] = [...new Set(found)].filter((one) => one.startsWith(start));
  expect([command, others], text).toEqual([expect.stringContaining(start), []]);
  return command.split(" ");
}

/** Runs the recommended plan, imports its first candidate and applies. */
async function choose(project: Project, plan: readonly string[]): Promise<void> {
  expect(plan.join(" ")).toBe(`plan ${chosen}`);
  const choices = await project.avatarops(...plan);
  const id = findId(project, "Twin");
  await project.expectDone(...findCommand(choices, `import context.twin ${id}`));
  await project.expectDone("apply", "-y", "--overwrite-drift", ...options);
  expect(listContexts(project, "Twin").map(({ prompt }) => prompt)).toEqual(["x", "Old."]);
}

test("prints a plan command if prune lists undeclared objects that may match a declaration", async () => {
  const project = await start();
  const listed = await project.expectDone("prune", ...options);
  await choose(project, findCommand(listed, "plan"));
  const other = listContexts(project, "Twin")[1]?.id ?? "";
  const refused = await project.avatarops("prune", findId(project, "Desk"), ...options);
  const again = await project.expectDone(...findCommand(refused, "prune"));
  expect(again.stdout).toMatch(
    new RegExp(`"Twin" \\(${other}\\): created [\\d-]+; last session: none$`, "m"),
  );
});

test("prints a plan command if prune is asked to delete an object that may match a declaration", async () => {
  const project = await start();
  await choose(
    project,
    findCommand(await project.avatarops("prune", findId(project, "Twin"), ...options), "plan"),
  );
});

test("prints a prune command with exactly the given ids if prune cannot ask for confirmation", async () => {
  const project = await start();
  const shown = await project.avatarops("prune", findId(project, "Winter"), ...options);
  expect(shown).toMatchObject({ exit: 7 });
  await project.expectDone(...findCommand(shown, "prune"));
  expect([listContexts(project, "Winter").length, listContexts(project, "Summer").length]).toEqual([0, 1]);
});

test("prints an apply command if prune finds none of the applied objects", async () => {
  const project = await start();
  project.emulator.world.contexts.splice(0);
  project.emulator.addContext({ name: "Theirs", prompt: "Old." });
  const refused = await project.avatarops("prune", ...options);
  await project.expectDone(...findCommand(refused, "apply"), "-y");
  expect(listContexts(project, "Desk")).toHaveLength(1);
  expect((await project.expectDone("prune", ...options)).stdout).toContain('"Theirs"');
});

test.each(["text", "json"])(
  "prints a plan command for objects skipped by import, in %s format",
  async (format) => {
    const project = await start();
    const ran = await project.avatarops("import", "--write", "--all", "--format", format, ...options);
    expect(ran).toMatchObject({ exit: 3 });
    expect(await project.read(at)).toContain("name: Winter");
    const text = format === "json" ? { ...ran, stderr: "" } : ran;
    await choose(project, findCommand(text, "plan"));
    await project.expectNothingToDo(...options);
  },
);

test("prints the import command for each object whose declaration must be pasted into code", async () => {
  const project = await start();
  const code = (pasted: string) =>
    `import { Context, Project, promptFile } from "avatarops";\nconst project = new Project({ service: { profile: "liveavatar" } });\n${pasted}export default project;\n`;
  const file = "bots/code/avatarops.config.ts";
  await project.write(file, code(""));
  const ran = await project.avatarops("import", "--write", "--all", "--file", file);
  expect(ran).toMatchObject({ exit: 3 });
  const [, pasted = ""] = /(\n\/\/ import[\s\S]*?)\n\n {2}/.exec(ran.stdout) ?? [];
  await project.write(file, code(`${pasted}\n`));
  const command = findCommand(ran, "import context.winter");
  expect(command.join(" ")).toBe(`import context.winter ${findId(project, "Winter")} --file ${file}`);
  await project.expectDone(...command);
  expect((await project.avatarops("state", "list", "--file", file)).stdout).toContain("context.winter");
});

test("repeats the file and environment options in the recommended render --all command", async () => {
  const project = await start();
  const keys = Array.from({ length: 60 }, (_, at) => `desk${at}`);
  const texts = keys.map(
    (key) => `  ${key}:\n    name: ${key}\n    prompt: |\n      Be kind.\n\n      Be ${key}.\n`,
  );
  await project.write(at, formatDesks(texts.join("")));
  const plan = await project.avatarops("plan", ...options);
  const command = findCommand(plan, "render --all").map((word) => (word === "FOLDER" ? "texts" : word));
  expect(command.join(" ")).toBe(`render --all --out texts ${chosen}`);
  await project.expectDone(...command);
  expect((await readdir(`${project.folder}/texts`, { recursive: true })).join()).toContain("desk59");
});
