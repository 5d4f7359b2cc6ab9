import { describe, expect, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { type Project, startProject } from "../cli/hosting.js";

/** Checks that templates in TypeScript and in YAML render the same prompts. */

const files = {
  "prompts/returns.md": "Hello ${name}.\n{{> tone}}\nIt costs {{price}} in {{openingTown}}.\n",
  "texts/tone.md": "Be kind.\n",
};

const settings = `partials: "texts", variables: { price: "9 EUR", openingTown: "Lindau", opening_text: "Hi" },
  environments: { production: { variables: { price: "10 EUR" } } },`;

/** Defines two contexts with the prompts `first` and `second`. */
function formatDefinitions(first: string, second: string, props = settings): string {
  return `import { Context, Project, promptFile, text } from "avatarops";
const project = new Project({ ${props} });
new Context(project, "one", { name: "One", prompt: ${first}, openingText: promptFile("prompts/hello.md", {}) });
new Context(project, "two", { name: "Two", prompt: ${second} });
export default project;
`;
}

const mine = formatDefinitions(
  'promptFile("prompts/returns.md", { price: "3 EUR" })',
  'promptFile("prompts/returns.md", {})',
);

async function start(main: string, more = {}): Promise<Project> {
  const hello = { "prompts/hello.md": "{{opening_text}}!\n" };
  const given = { ...files, ...hello, ...more, "avatarops.config.ts": main };
  return startProject({ world: createEmptyDataset(), files: given });
}

async function render(project: Project, key: string, ...argv: string[]): Promise<string> {
  const { exit, stdout, stderr } = await project.avatarops("render", `context.${key}`, ...argv);
  expect([exit, stderr]).toEqual([0, ""]);
  return stdout;
}

const formatPrompt = (price: string) => `Hello \${name}.\nBe kind.\nIt costs ${price} in Lindau.\n`;

describe("templates in a TypeScript project", () => {
  test("prefer values passed to promptFile() over environment and project values", async () => {
    const project = await start(mine);
    expect(await render(project, "one")).toBe(formatPrompt("3 EUR").trimEnd());
    expect(await render(project, "two")).toBe(formatPrompt("9 EUR").trimEnd());
    expect(await render(project, "one", "--env", "production")).toBe(formatPrompt("3 EUR").trimEnd());
    expect(await render(project, "two", "--env", "production")).toBe(formatPrompt("10 EUR").trimEnd());
    expect(await render(project, "one", "--field", "opening_text")).toBe("Hi!");
    expect(await render(project, "one", "--map")).toContain("texts/tone.md:1       Be kind.");
    expect((await project.avatarops("validate")).stdout).not.toContain("unused");
  });

  test("are selected by pattern, even if code reads the file with text()", async () => {
    const props = `${settings} templates: ["prompts/*.md"]`;
    const project = await start(
      formatDefinitions('promptFile("prompts/returns.md")', 'text("prompts/returns.md")', props),
    );
    expect(await render(project, "one")).toBe(formatPrompt("9 EUR").trimEnd());
    expect(await render(project, "two")).toBe(formatPrompt("9 EUR").trimEnd());
  });

  test("let pull write each edited line to the file that contains it", async () => {
    const project = await start(
      formatDefinitions('promptFile("prompts/returns.md", { price: "3 EUR" })', '"Hi"'),
    );
    await project.expectApplied();
    const live = formatPrompt("3 EUR")
      .trimEnd()
      .replace("kind", "very kind")
      .replace("It costs", "That costs");
    project.emulator.editContext("One", { prompt: live });
    const pull = async (...argv: string[]) =>
      JSON.parse((await project.avatarops("pull", "--format", "json", ...argv)).stdout);
    expect((await pull()).refused).toMatchObject([
      { reason: expect.stringContaining("context.one.prompt (production) would also change") },
    ]);
    expect(await pull("--auto-approve")).toMatchObject({ refused: [] });
    expect(await project.read("texts/tone.md")).toBe("Be very kind.\n");
    expect(await project.read("prompts/returns.md")).toBe(
      files["prompts/returns.md"].replace("It costs", "That costs"),
    );
    await project.expectNothingToDo();
  });
});

describe("template with its own values in YAML", () => {
  test("renders the same prompt as in TypeScript", async () => {
    const yaml = `partials: texts
variables: { price: 9 EUR, openingTown: Lindau }
contexts:
  one: { name: One, prompt: !file { path: prompts/returns.md, variables: { price: 3 EUR } } }
  two:
    name: Two
    prompt: !file
      path: prompts/returns.md
      variables: {}
  three: { name: Three, prompt: !file { path: prompts/returns.md } }
`;
    const project = await startProject({ files: { ...files, "avatarops.yaml": yaml } });
    expect(await render(project, "one")).toBe(formatPrompt("3 EUR").trimEnd());
    expect(await render(project, "two")).toBe(formatPrompt("9 EUR").trimEnd());
    expect(await render(project, "three")).toBe(files["prompts/returns.md"].trimEnd());
  });

  test("requires confirmation if a pulled edit would also change another object", async () => {
    const own = (price: string) => `!file { path: prompts/returns.md, variables: { price: ${price} } }`;
    const yaml = `partials: texts
variables: { openingTown: Lindau }
contexts:
  one: { name: One, prompt: ${own("3 EUR")} }
  two: { name: Two, prompt: ${own("4 EUR")} }
`;
    const project = await startProject({ files: { ...files, "avatarops.yaml": yaml } });
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    project.emulator.editContext("One", { prompt: formatPrompt("3 EUR").trimEnd().replace("Hello", "Hi") });
    const pulled = await project.avatarops("pull", "--format", "json");
    expect(JSON.parse(pulled.stdout)).toMatchObject({
      files: [],
      refused: [{ reason: expect.stringContaining("context.two.prompt would also change") }],
    });
    expect(await project.avatarops("pull", "--auto-approve")).toMatchObject({ exit: 0 });
    expect(await project.read("prompts/returns.md")).toBe(files["prompts/returns.md"].replace("Hello", "Hi"));
    expect(await render(project, "two")).toBe(formatPrompt("4 EUR").replace("Hello", "Hi").trimEnd());
  });
});
