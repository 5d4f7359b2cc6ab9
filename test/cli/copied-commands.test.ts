/**
 * Commands that `prune` and `import --write --all` print act on the project and the environment that they are about: each is copied
 * from the root of the repository, which has another project.
 */
import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import { type Project, type Ran, startProject } from "./hosting.js";

const at = "bots/support/avatarops.yaml";
const options = ["--file", at, "--env", "staging"];
const chosen = options.join(" ");
const profile = "service: { profile: liveavatar }\n";
const desks = (more = "") =>
  `${profile}environments: { staging: { state: s.json }, production: { state: p.json } }\ncontexts:\n  desk: { name: Desk, prompt: Be kind. }\n${more}`;

/** Two objects could be the declared `context.twin`; `Winter` and `Summer` are declared nowhere. */
async function start(): Promise<Project> {
  const root = `${profile}contexts: { root: { name: Root desk, prompt: Wait. } }\n`;
  const project = await startProject({
    files: { "avatarops.yaml": root, [at]: desks() },
    world: emptyDataset(),
    emulator: { profile: "liveavatar", behaviour: { contextNames: "free" } },
  });
  for (const argv of [[], options]) await project.expectDone("apply", "-y", ...argv);
  for (const name of ["Twin", "Twin", "Winter", "Summer"])
    project.emulator.addContext({ name, prompt: "Old." });
  await project.write(at, desks("  twin: { name: Twin, prompt: x }\n"));
  return project;
}

const contexts = ({ emulator }: Project, wanted: string) =>
  emulator.world.contexts.filter(({ name }) => name === wanted);
const idOf = (project: Project, wanted: string) => contexts(project, wanted)[0]?.id ?? "";

/** The only command in backticks that begins so. */
function commandIn({ stdout, stderr }: Ran, start: string): string[] {
  const text = (stdout + stderr).replace(/\s+/g, " ");
  const found = [...text.matchAll(/`avatarops ([^`]+)`/g)].map(([, command = ""]) => command);
  const [command = "", ...others] = [...new Set(found)].filter((one) => one.startsWith(start));
  expect([command, others], text).toEqual([expect.stringContaining(start), []]);
  return command.split(" ");
}

/** Follows the plan's choice, and applies it. */
async function choose(project: Project, plan: readonly string[]): Promise<void> {
  expect(plan.join(" ")).toBe(`plan ${chosen}`);
  const choices = await project.avatarops(...plan);
  const id = idOf(project, "Twin");
  await project.expectDone(...commandIn(choices, `import context.twin ${id}`));
  await project.expectDone("apply", "-y", "--overwrite-drift", ...options);
  expect(contexts(project, "Twin").map(({ prompt }) => prompt)).toEqual(["x", "Old."]);
}

test("prints a plan of its project for what prune keeps, whose choice can be copied", async () => {
  const project = await start();
  const listed = await project.expectDone("prune", ...options);
  await choose(project, commandIn(listed, "plan"));
  const other = contexts(project, "Twin")[1]?.id ?? "";
  const refused = await project.avatarops("prune", idOf(project, "Desk"), ...options);
  const again = await project.expectDone(...commandIn(refused, "prune"));
  expect(again.stdout).toMatch(
    new RegExp(`"Twin" \\(${other}\\): created [\\d-]+; last session: none$`, "m"),
  );
});

test("prints the same plan if the kept object is named", async () => {
  const project = await start();
  await choose(
    project,
    commandIn(await project.avatarops("prune", idOf(project, "Twin"), ...options), "plan"),
  );
});

test("prints a command of prune that deletes exactly what it showed", async () => {
  const project = await start();
  const shown = await project.avatarops("prune", idOf(project, "Winter"), ...options);
  expect(shown).toMatchObject({ exit: 7 });
  await project.expectDone(...commandIn(shown, "prune"));
  expect([contexts(project, "Winter").length, contexts(project, "Summer").length]).toEqual([0, 1]);
});

test("prints an apply of its project if prune finds none of the applied objects", async () => {
  const project = await start();
  project.emulator.world.contexts.splice(0);
  project.emulator.addContext({ name: "Theirs", prompt: "Old." });
  const refused = await project.avatarops("prune", ...options);
  await project.expectDone(...commandIn(refused, "apply"), "-y");
  expect(contexts(project, "Desk")).toHaveLength(1);
  expect((await project.expectDone("prune", ...options)).stdout).toContain('"Theirs"');
});

test.each(["text", "json"])(
  "prints a plan of its project for what import leaves out, as %s",
  async (format) => {
    const project = await start();
    const ran = await project.expectDone("import", "--write", "--all", "--format", format, ...options);
    expect(await project.read(at)).toContain("name: Winter");
    const text = format === "json" ? { ...ran, stderr: "" } : ran;
    await choose(project, commandIn(text, "plan"));
    await project.expectNothingToDo(...options);
  },
);

test("prints the import of each object that is to be pasted into code", async () => {
  const project = await start();
  const code = (pasted: string) =>
    `import { Context, Project, promptFile } from "avatarops";\nconst project = new Project({ service: { profile: "liveavatar" } });\n${pasted}export default project;\n`;
  const file = "bots/code/avatarops.config.ts";
  await project.write(file, code(""));
  const ran = await project.avatarops("import", "--write", "--all", "--file", file);
  expect(ran).toMatchObject({ exit: 3 });
  const [, pasted = ""] = /(\n\/\/ import[\s\S]*?)\n\n {2}/.exec(ran.stdout) ?? [];
  await project.write(file, code(`${pasted}\n`));
  const command = commandIn(ran, "import context.winter");
  expect(command.join(" ")).toBe(`import context.winter ${idOf(project, "Winter")} --file ${file}`);
  await project.expectDone(...command);
  expect((await project.avatarops("state", "list", "--file", file)).stdout).toContain("context.winter");
});

test("repeats the file and the environment in the command that prints all texts", async () => {
  const project = await start();
  const keys = Array.from({ length: 60 }, (_, at) => `desk${at}`);
  const texts = keys.map(
    (key) => `  ${key}:\n    name: ${key}\n    prompt: |\n      Be kind.\n\n      Be ${key}.\n`,
  );
  await project.write(at, desks(texts.join("")));
  const plan = await project.avatarops("plan", ...options);
  const command = commandIn(plan, "render --all").map((word) => (word === "FOLDER" ? "texts" : word));
  expect(command.join(" ")).toBe(`render --all --out texts ${chosen}`);
  await project.expectDone(...command);
  expect((await readdir(`${project.folder}/texts`, { recursive: true })).join()).toContain("desk59");
});
