import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { matchText, type Project, startAndApply, startProject } from "./hosting.js";

const files = {
  "avatarops.yaml": `include: [contexts/*.md]
templates: [prompts/*.md]
variables: { price: 9 EUR }
contexts:
  returns: { name: Returns, prompt: !file prompts/returns.md }
  plain: { name: Plain, prompt: !file plain.md }
environments:
  production: { variables: { price: 10 EUR } }
`,
  "contexts/sales.md": "---\nname: Sales\ntemplate: true\n---\nSell at {{price}}.\n{{> tone}}\n",
  "prompts/returns.md":
    'Hello ${name}.\n\n{{> tone}}\n{{> ../partials/steps.txt item="ring"}}\nWrite \\{{ as it is.\n',
  "partials/tone.md": "Be kind.\n",
  "partials/steps.txt": "Send the {{item}} back: {{price}}.\n",
  "plain.md": "{{> tone}} and {{price}} stay.\n",
};

const startAppliedProject = () => startAndApply({ files });

function findPrompt(project: Project, name: string): string | undefined {
  return project.emulator.world.contexts.find((one) => one.name === name)?.prompt;
}

describe("templates", () => {
  test("are sent as rendered text, while other files are sent unchanged", async () => {
    const project = await startAppliedProject();
    expect(findPrompt(project, "Returns")).toBe(
      "Hello ${name}.\n\nBe kind.\nSend the ring back: 9 EUR.\nWrite {{ as it is.",
    );
    expect(findPrompt(project, "Sales")).toBe("Sell at 9 EUR.\nBe kind.");
    expect(findPrompt(project, "Plain")).toBe("{{> tone}} and {{price}} stay.");
    await project.expectNothingToDo();
  });

  test("render only the body of an object's file, but a partial's whole file", async () => {
    const project = await startProject({
      files: { ...files, "prompts/returns.md": "{{> ../contexts/sales.md}}\n{{> ./../contexts/sales.md}}\n" },
    });
    const text = "Sell at 9 EUR.\nBe kind.\n";
    const whole = `---\nname: Sales\ntemplate: true\n---\n${text}`;
    expect((await project.avatarops("render", "context.sales")).stdout).toBe(text.trimEnd());
    expect((await project.avatarops("render", "context.returns")).stdout).toBe((whole + whole).trimEnd());
  });

  test("show the file and line of each change, whether made in the files or in the account", async () => {
    const project = await startAppliedProject();
    const lines = Array.from({ length: 30 }, (_, at) => `Line ${at} of what is always so in the house.\n`);
    await project.write("partials/tone.md", `Be kind.\n${lines.join("")}Bye.\n`);
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    const prompt = findPrompt(project, "Returns") ?? "";
    // The added lines shift the line numbers in the account's prompt, but not those in the files.
    const live = prompt.replace("Hello", "One\nTwo\nHello").replace("Bye", "Goodbye").replace("back", "here");
    project.emulator.editContext("Returns", { prompt: live });
    const drift = await project.avatarops("drift");
    expect(drift.stdout).toContain("│ prompts/returns.md:1\n               1 │ {+One+}\n");
    expect(drift.stdout).toMatch(
      /│ partials\/tone\.md:32\n +35 │ …29 of .*\n +│ \[-Bye-\]\{\+Goodbye\+\}\.\n/,
    );
    const markdown = await project.avatarops("drift", "--format", "markdown");
    expect(markdown.stdout).toContain("`partials/tone.md`, line 32;");
    await project.write("partials/tone.md", `Be kind.\n${lines.join("").replace("Line 7", "Row 7")}Bye.\n`);
    const plan = await project.avatarops("plan");
    expect(plan.stdout.match(/partials\/tone\.md:9\n/g)).toHaveLength(2);
    expect(plan.stdout).toMatch(
      /│ partials\/tone\.md:32\n +35 │ …29 of .*\n +│ \[-Bye-\]\{\+Goodbye\+\}\.\n/,
    );
    const { changes } = await project.json("plan");
    expect(changes[1].fields[0].composed).toEqual({
      of: "after",
      stretches: [
        { start: 0, file: "contexts/sales.md", line: 5 },
        { start: 8, file: "contexts/sales.md", line: 5 },
        { start: 13, file: "contexts/sales.md", line: 5 },
        { start: 15, file: "partials/tone.md", line: 1 },
      ],
    });
  });

  test("are printed by render, with source lines if --map is given, or as the live prompt with --live", async () => {
    const project = await startAppliedProject();
    const prompt = "Hello ${name}.\n\nBe kind.\nSend the ring back: 10 EUR.\nWrite {{ as it is.";
    expect(await project.avatarops("render", "context.returns", "--env", "production")).toMatchObject({
      ...{ exit: 0, stdout: prompt, stderr: "" },
    });
    expect((await project.avatarops("render", "context.returns", "--map")).stdout).toBe(
      [
        "prompts/returns.md:1  Hello ${name}.",
        "prompts/returns.md:2",
        "partials/tone.md:1    Be kind.",
        "partials/steps.txt:1  Send the ring back: 9 EUR.",
        "prompts/returns.md:5  Write {{ as it is.",
        "",
      ].join("\n"),
    );
    const unchanged = await project.avatarops("render", "context.returns", "--live");
    expect(unchanged).toMatchObject({ exit: 0, stdout: prompt.replace("10", "9") });
    project.emulator.editContext("Returns", { prompt: "Go \u001b[31maway" });
    const live = await project.avatarops("render", "context.returns", "--live");
    expect(live).toMatchObject({ exit: 0, stdout: "Go \u001b[31maway" });
    const missing = await project.avatarops("render", "context.returns", "--field", "title");
    expect(missing).toMatchObject({
      exit: 1,
      stderr: matchText("Choose one of name, prompt, opening_text."),
    });
  });

  test("render the example in the documentation as shown on its page", async () => {
    const page = await readFile(path.join(import.meta.dirname, "../../docs/templates.md"), "utf8");
    const [prompt = "", manifest = "", shown] = Array.from(
      page.matchAll(/^```(?:markdown|yaml|text)\n(.*?)^```$/gms),
      ([, text]) => text,
    );
    const project = await startProject({
      files: {
        "avatarops.yaml": manifest,
        "prompts/returns.md": prompt,
        "partials/tone.md": "Be kind.\n",
        "partials/steps.md": "Send {{item}} back within 30 days.\n",
      },
    });
    const { stdout } = await project.avatarops("render", "context.returns", "--map");
    expect(stdout).toBe(shown);
    const rings = await project.avatarops("render", "context.rings");
    expect(rings.stdout).toContain("A return costs 12 EUR.");
  });
});

describe("a mistake in one setting", () => {
  const texts = {
    "prompts/ring.md": "Welcome to {{shop}}. It costs {{price}} EUR. {{> tone}}\n",
    "partials/tone.md": "Be kind.\n",
  };
  const list = async (settings: string, prompt = texts["prompts/ring.md"]) => {
    const project = await startProject({
      files: {
        ...texts,
        "prompts/ring.md": prompt,
        "avatarops.yaml": `${settings}contexts: { ring: { name: Ring, prompt: !file prompts/ring.md } }\n`,
      },
    });
    const { diagnostics, policies = [] } = await project.json("validate");
    return [...diagnostics, ...policies].map(
      ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
    );
  };
  const templates = "templates: [prompts/*.md]\n";
  const variables = "variables: { shop: Ring & Co, price: '9' }\n";

  test.each([
    [
      `${templates}variables: { shop: Ring & Co, price: 9 }\n`,
      "variables.price must be a string, not a number",
    ],
    [
      `${templates}${variables}thresholds: { max_percent: 130 }\n`,
      "thresholds.max_percent must be at most 100",
    ],
    [`templates: [9]\n${variables}`, "templates[0] must be a string, not a number"],
    [`${templates}partials: 9\n${variables}`, "partials must be a string, not a number"],
  ])("causes no errors or warnings about templates: %j", async (settings, message) => {
    expect(await list(settings)).toEqual([expect.stringContaining(message)]);
  });

  test("does not hide an error in a template", async () => {
    const settings = `${templates}variables: { shop: Ring & Co, price: 9 }\n`;
    expect(await list(settings, "{{shop}} {{cost}} {{price}}\n")).toEqual([
      expect.stringMatching(/^wrong-type: variables.price/),
      "unknown-variable: there is no variable cost",
    ]);
  });
});
