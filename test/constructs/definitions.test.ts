/** What definitions in TypeScript may ask of the project they are part of. */
import { describe, expect, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import { saying, startProject } from "../cli/hosting.js";

function definitions(statements: string, props = "{}"): string {
  return `import { Context, Project, text } from "avatarops";
const project = new Project(${props});
${statements}
export default project;
`;
}

const start = (main: string, files: Record<string, string> = {}) =>
  startProject({ world: emptyDataset(), files: { "avatarops.config.ts": main, ...files } });

describe("the chosen environment", () => {
  const main = definitions(
    'new Context(project, "desk", { name: `Desk ${project.environment ?? "of all"}`, prompt: "Hi" });',
    '{ environments: { staging: { state: "staging.json" } } }',
  );

  test.each([
    [[], "Desk of all"],
    [["--env", "staging"], "Desk staging"],
  ])("is known to definitions with %j", async (flags, name) => {
    const project = await start(main);
    expect(await project.avatarops("apply", "-y", ...flags)).toMatchObject({ exit: 0 });
    expect(project.emulator.world.contexts).toMatchObject([{ name }]);
    await project.expectNothingToDo(...flags);
  });

  test("is known to those that YAML includes, too", async () => {
    const project = await startProject({
      files: {
        "avatarops.yaml": "include: [more.ts]\nenvironments: { staging: {} }\n",
        "more.ts": definitions(
          'new Context(project, "desk", { name: String(project.environment), prompt: "Hi" });',
        ),
      },
      world: emptyDataset(),
    });
    expect(await project.avatarops("plan", "--env", "staging")).toMatchObject({
      exit: 0,
      stdout: saying('create context.desk "staging"'),
    });
  });
});

describe("text", () => {
  const one = definitions(
    'const prompt: string = text("prompts/desk.md");\nnew Context(project, "desk", { name: `Desk ${prompt.length}`, prompt });',
  );

  test("is what a file of the project holds, from wherever the command runs", async () => {
    const project = await start(one, { "prompts/desk.md": "\uFEFFBe kind.\r\n" });
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    expect(project.emulator.world.contexts).toMatchObject([{ name: "Desk 8", prompt: "Be kind." }]);
    const { stdout } = await project.avatarops("validate", "--format", "json");
    expect(JSON.parse(stdout)).toMatchObject({ valid: true });
  });

  test("that is given as it is takes what pull writes back", async () => {
    const project = await start(one.replace("Desk ${prompt.length}", "Desk"), {
      "prompts/desk.md": "Be kind.\n",
    });
    await project.avatarops("apply", "-y");
    const [live] = project.emulator.world.contexts;
    project.emulator.editContext(live?.id ?? "", { prompt: "Be brief." });
    expect(await project.avatarops("pull")).toMatchObject({ exit: 0 });
    expect(await project.read("prompts/desk.md")).toBe("Be brief.\n");
    await project.expectNothingToDo();
  });

  test.each([
    ["was computed with", 'text("a.md") + " Always."', { "a.md": "Be kind.\n" }, "Be kind. Always."],
    [
      "two files hold",
      'text("a.md") && text("b.md")',
      { "a.md": "Be kind.\n", "b.md": "Be kind.\n" },
      "Be kind.",
    ],
  ])("that %s is left to whoever wrote it", async (_what, expression, files, prompt) => {
    const project = await start(
      definitions(`new Context(project, "desk", { name: "Desk", prompt: ${expression} });`),
      files,
    );
    await project.avatarops("apply", "-y");
    expect(project.emulator.world.contexts).toMatchObject([{ prompt }]);
    project.emulator.editContext(project.emulator.world.contexts[0]?.id ?? "", { prompt: "Be brief." });
    expect(await project.avatarops("pull")).toMatchObject({
      exit: 1,
      stdout: saying("the code at line 3 makes it"),
    });
    expect(await project.read("a.md")).toBe("Be kind.\n");
  });
});
