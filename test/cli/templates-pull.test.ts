import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { branch, startTeam } from "./drift-hosting.js";
import { matchText, type Project, startAndApply } from "./hosting.js";

const manifest = `include: [contexts/*.md]
templates: [prompts/*.md]
variables: { price: 9 EUR }
contexts:
  returns: { name: Returns, prompt: !file prompts/returns.md }
`;
const files = {
  "avatarops.yaml": manifest,
  "contexts/sales.md": "---\nname: Sales\ntemplate: true\n---\nSell at {{price}}.\n{{> tone}}\n",
  "prompts/returns.md":
    'Hello ${name}.\n\n{{> tone}}\n  {{> ../partials/steps.txt item="ring"}}\nWrite \\{{ as it is.\n',
  "partials/tone.md": "Be kind.\nThe price is {{price}}.\nNever promise a date.\n",
  "partials/steps.txt": "Send the {{item}} back.\nWait.\n",
};

const startAppliedProject = (given: Readonly<Record<string, string>> = {}) =>
  startAndApply({ files: { ...files, ...given } });

const withProduction = {
  "avatarops.yaml": `${manifest}environments:\n  production: { variables: { price: 10 EUR } }\n  staging: {}\n`,
};

/** Edits an object's prompt in the dashboard and returns the new prompt with a final newline. */
function edit(
  { emulator }: Project,
  name: string,
  ...changes: readonly (readonly [string, string])[]
): string {
  const { prompt = "" } = emulator.world.contexts.find((one) => one.name === name) ?? {};
  const edited = changes.reduce((now, [from, to]) => now.replace(from, to), prompt);
  expect(edited).not.toBe(prompt);
  emulator.editContext(name, { prompt: edited });
  return `${edited}\n`;
}

async function pull(project: Project, ...argv: readonly string[]) {
  const { exit, stdout, stderr } = await project.avatarops("pull", "--format", "json", ...argv);
  const { pulled, refused, files: written } = JSON.parse(stdout);
  return { exit, stderr, pulled, written, reasons: refused.map(({ reason }: { reason: string }) => reason) };
}

const render = async (project: Project, ...argv: readonly string[]) =>
  `${(await project.avatarops("render", ...argv)).stdout}\n`;

describe("pull of a composed prompt", () => {
  test("writes each edit to the file that contains the edited line", async () => {
    const project = await startAppliedProject();
    edit(project, "Returns", ["Hello", "Good morning"], ["Send the", "Please send the"]);
    expect(await pull(project)).toMatchObject({
      exit: 0,
      pulled: [
        { address: "context.returns", field: "prompt", file: "prompts/returns.md" },
        { address: "context.returns", field: "prompt", file: "partials/steps.txt" },
      ],
    });
    expect(await project.read("prompts/returns.md")).toBe(
      files["prompts/returns.md"].replace("Hello", "Good morning"),
    );
    expect(await project.read("partials/steps.txt")).toBe("Please send the {{item}} back.\nWait.\n");
    await project.expectNothingToDo();
  });

  test("rejects edits that span several files or change a variable's value", async () => {
    const project = await startAppliedProject();
    edit(project, "Sales", ["9 EUR", "19 EUR"]);
    expect(await pull(project)).toMatchObject({
      ...{ exit: 1, written: [] },
      reasons: [
        'At contexts/sales.md:5, the files have "" and the account has "1". The edit is in the value of price, written at avatarops.yaml:3. Change the value, or replace {{price}} with the text.',
      ],
    });
    edit(project, "Sales", ["19 EUR", "9 EUR"]);
    edit(project, "Returns", ["ring", "bracelet"]);
    expect(await pull(project)).toMatchObject({
      reasons: [
        matchText("The edit is in the value of item, written at prompts/returns.md:4. Change the value"),
      ],
    });
    edit(project, "Returns", ["bracelet", "ring"]);
    edit(project, "Returns", ["a date.\n  Send", "anything. Send"]);
    expect(await pull(project)).toMatchObject({
      exit: 1,
      written: [],
      reasons: [matchText("The edit spans several files")],
    });
  });

  test("asks before changing other prompts, and lists them in an error without a terminal", async () => {
    const project = await startAppliedProject();
    edit(project, "Returns", ["Hello", "Hi"], ["Be kind", "Be nice"]);
    const reason =
      "context.sales.prompt would also change. Add --auto-approve to change all, or --here to change only this object.";
    expect(await pull(project)).toMatchObject({ exit: 7, written: [], reasons: [reason] });
    expect(await project.read("partials/tone.md")).toBe(files["partials/tone.md"]);

    const question = matchText("The edit to context.returns.prompt also changes context.sales.prompt.");
    const refused = await project.avataropsWith({ typed: "no\n" }, "pull");
    expect(refused).toMatchObject({
      exit: 130,
      stderr: question,
      stdout: matchText("0 fields pulled, 1 refusal"),
    });
    const dry = await project.avataropsWith({ typed: "" }, "pull", "--dry-run", "-y");
    expect(dry).toMatchObject({
      exit: 0,
      stderr: question,
      stdout: matchText("1 field would be pulled into 2 files"),
    });
    expect(await project.read("partials/tone.md")).toBe(files["partials/tone.md"]);

    const agreed = await project.avataropsWith({ typed: "yes\n" }, "pull");
    expect(agreed).toMatchObject({ exit: 0, stderr: question });
    expect(await project.read("partials/tone.md")).toBe(files["partials/tone.md"].replace("kind", "nice"));
    // The next plan shows the changed prompts.
    const { stdout } = await project.avatarops("plan");
    expect(stdout).toContain("context.sales");
    expect(stdout).not.toContain("context.returns");
  });

  test("changes one prompt with --here, and asks nothing with --auto-approve", async () => {
    const project = await startAppliedProject(withProduction);
    const live = edit(project, "Returns", ["Be kind", "Be {{nice}}"], ["Send the", "Please send the"]);
    const sales = await render(project, "context.sales", "--env", "production");
    const { exit, reasons } = await pull(project, "--here");
    expect([exit, reasons]).toEqual([
      7,
      [matchText("context.returns.prompt (production), context.returns.prompt (staging) would also change")],
    ]);
    expect(await pull(project, "--here", "-y")).toMatchObject({
      exit: 0,
      stderr: matchText(
        "also changes context.returns.prompt (production), context.returns.prompt (staging).",
      ),
      written: ["prompts/returns.md", "partials/steps.txt"],
    });
    expect(await project.read("prompts/returns.md")).toBe(
      files["prompts/returns.md"].replace(
        "{{> tone}}",
        "Be \\{{nice}}.\nThe price is {{price}}.\nNever promise a date.",
      ),
    );
    expect(await render(project, "context.returns")).toBe(live);
    expect(await render(project, "context.returns", "--env", "production")).toBe(
      live.replace("9 EUR", "10 EUR"),
    );
    expect(await render(project, "context.sales", "--env", "production")).toBe(sales);
    await project.expectNothingToDo();
  });

  test("names affected prompts in other environments, as shown on the templates page", async () => {
    const project = await startAppliedProject({
      "avatarops.yaml": `${manifest}environments: { production: {} }\n`,
    });
    edit(project, "Returns", ["Be kind", "Be nice"]);
    const { stdout } = await project.avatarops("pull");
    const page = await readFile(path.join(import.meta.dirname, "../../docs/templates.md"), "utf8");
    expect(page).toContain(stdout.split("\n\n")[0]);
    edit(project, "Returns", ["Be nice", "Be kind"], ["Hello", "Hi"]);
    expect(await pull(project)).toMatchObject({
      exit: 7,
      reasons: [matchText("context.returns.prompt (production) would also change")],
    });
    expect(await pull(project, "-y")).toMatchObject({ exit: 0 });
    await project.expectNothingToDo();
  });

  test("asks for confirmation if a prompt file is also a partial of another prompt", async () => {
    const tone = `${manifest}  tone: { name: Tone, prompt: !file partials/tone.md }\n`;
    const project = await startAppliedProject({ "avatarops.yaml": tone });
    edit(project, "Tone", ["Be kind", "Be nice"]);
    expect(await pull(project)).toMatchObject({
      ...{ exit: 7, written: [] },
      reasons: [matchText("context.returns.prompt, context.sales.prompt would also change")],
    });
    edit(project, "Tone", ["Be nice", "Be kind"]);
    edit(project, "Returns", ["Be kind", "Be nice"]);
    expect(await pull(project)).toMatchObject({
      ...{ exit: 7, written: [] },
      reasons: [matchText("context.sales.prompt, context.tone.prompt would also change")],
    });
    expect(await pull(project, "--here")).toMatchObject({ exit: 0, written: ["prompts/returns.md"] });
  });

  test("writes several edits to one file", async () => {
    const project = await startAppliedProject();
    // This file contains both the object and its prompt.
    edit(project, "Sales", ["Sell at", "Sell for"]);
    project.emulator.editContext("Sales", { name: "Sales desk" });
    expect(await pull(project)).toMatchObject({ exit: 0, written: ["contexts/sales.md"] });
    expect(await project.read("contexts/sales.md")).toBe(
      files["contexts/sales.md"].replace("Sales", "Sales desk").replace("Sell at", "Sell for"),
    );
    await project.expectNothingToDo();

    // Both prompts that use the partial have the same edit, so editing the partial changes no other prompt.
    for (const name of ["Returns", "Sales desk"]) edit(project, name, ["Be kind", "Be nice"]);
    expect(await pull(project)).toMatchObject({ exit: 0, written: ["partials/tone.md"] });
    await project.expectNothingToDo();

    edit(project, "Returns", ["Be nice", "Be very nice"], ["Hello", "Hi"]);
    edit(project, "Sales desk", ["a date", "any date"]);
    expect(await pull(project)).toMatchObject({ exit: 7, written: [] });
    expect(await pull(project, "-y")).toMatchObject({ exit: 0, reasons: [] });
    expect(await project.read("partials/tone.md")).toBe(
      "Be very nice.\nThe price is {{price}}.\nNever promise any date.\n",
    );
    expect(await project.read("prompts/returns.md")).toContain("Hi");
    // The next apply writes both edits of the partial to both prompts.
    const { changes } = await project.json("plan");
    expect(changes.map(({ address, action }: Record<string, string>) => [address, action])).toEqual([
      ["context.returns", "update"],
      ["context.sales", "update"],
    ]);
  });

  test("shows both sides of conflicting edits and writes both with --here", async () => {
    const project = await startAppliedProject();
    const returns = edit(project, "Returns", ["Be kind", "Be nice"]);
    const sales = edit(project, "Sales", ["Be kind", "Be brief"]);
    const { exit, reasons, written } = await pull(project, "-y");
    expect({ exit, written }).toEqual({ exit: 1, written: [] });
    expect(reasons).toEqual([
      'At partials/tone.md:1, this edit writes "nice", but the edit to context.sales.prompt writes "brief". Make both edits by hand.',
      'At partials/tone.md:1, this edit writes "brief", but the edit to context.returns.prompt writes "nice". Make both edits by hand.',
    ]);
    expect(await pull(project, "--here")).toMatchObject({ exit: 0, reasons: [] });
    expect(await render(project, "context.returns")).toBe(returns);
    expect(await render(project, "context.sales")).toBe(sales);
    expect(await project.read("partials/tone.md")).toBe(files["partials/tone.md"]);
    await project.expectNothingToDo();
  });

  test("proposes edits to two prompts with a shared partial in one drift pull request", async () => {
    const team = await startTeam("github", { files, apply: [] });
    const { project } = team;
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    edit(project, "Returns", ["Be kind", "Be nice"]);
    const sales = edit(project, "Sales", ["a date", "any date"], ["Sell at", "Sell for"]);
    expect(await team.propose()).toMatchObject({
      written: [{ address: "context.returns" }, { address: "context.sales" }, { file: "partials/tone.md" }],
      also_changes: ["context.sales.prompt", "context.returns.prompt"],
    });
    const sentence = "The next apply then changes only the texts listed above.";
    expect(team.pulls()[0]?.body).toContain(sentence);
    team.merge(branch);
    // An edit that is missing from the files is still a conflict.
    edit(project, "Returns", ["Hello", "Hi"]);
    expect(await project.avatarops("apply", "-y")).toMatchObject({
      exit: 3,
      stdout: matchText("context.returns"),
    });
    expect(await render(project, "context.sales", "--live")).toBe(sales.replace("Be kind", "Be nice"));
    edit(project, "Returns", ["Hi", "Hello"]);
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    await project.expectNothingToDo();
    expect(await render(project, "context.returns", "--live")).toContain(
      "Be nice.\nThe price is 9 EUR.\nNever promise any date.",
    );
    expect((await project.avatarops("drift")).exit).toBe(0);
  });
});
