import { symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import {
  matchText,
  newFolder,
  type Project,
  type ProjectSetup,
  startAndApply,
  startProject,
} from "./hosting.js";

const night = { id: "30000000-0000-4000-8000-000000000001", address: "context.night-desk" };

/** Starts a project with one declared context. Its account also contains an undeclared context. */
async function startWithUndeclared(files: Record<string, string>, more: ProjectSetup = {}): Promise<Project> {
  const world = generateDataset({ avatars: 1, voices: 1, contexts: 2 });
  const links = [{ id: "x", url: "https://example.com/a", faq: "A" }];
  Object.assign(world.contexts[1] ?? {}, {
    name: "Night desk",
    prompt: "Be quiet.\nVery.",
    opening_text: "",
    links,
  });
  const project = await startProject({ files, world, ...more });
  if (!more.environment)
    expect(await project.avatarops("apply", "-y", "--overwrite-drift")).toMatchObject({ exit: 0 });
  return project;
}

async function importObjects(project: Project, ...argv: readonly string[]) {
  const result = await project.expectDone("import", "--write", "--format", "json", ...argv);
  return JSON.parse(result.stdout);
}

const first = "name: Context 1\nprompt: Be polite.\n";
const inYaml = "contexts:\n  # ours\n  first: # the first\n    name: Context 1\n    prompt: Be polite.\n";

const formatNightDesk = (column: number) =>
  ["night-desk:", "  name: Night desk", "  prompt: !file prompts/night-desk.md", "  links:"]
    .concat("    - url: https://example.com/a", "      faq: A")
    .map((line) => `${" ".repeat(column)}${line}\n`)
    .join("");
const inDocument =
  "---\nname: Night desk\nlinks:\n  - url: https://example.com/a\n    faq: A\n---\nBe quiet.\nVery.\n";
const itsPrompt = { "prompts/night-desk.md": "Be quiet.\nVery.\n" };

describe("import --write of an undeclared object", () => {
  test.each<
    [layout: string, files: Record<string, string>, file: string, text: string, more?: Record<string, string>]
  >([
    [
      "a matching Markdown pattern",
      { "avatarops.yaml": "include: [desks/**/*.md]\n", "desks/day/first.md": `---\n${first}---\n` },
      "desks/night-desk.md",
      inDocument,
    ],
    [
      "a pattern without files",
      { "avatarops.yaml": "include: [contexts/*.md]\n" },
      "contexts/night-desk.md",
      inDocument,
    ],
    [
      "YAML alone",
      { "avatarops.yaml": `${inYaml}  # the end\nstate: s.json\n` },
      "avatarops.yaml",
      `${inYaml}${formatNightDesk(2)}  # the end\nstate: s.json\n`,
      itsPrompt,
    ],
    [
      "CRLF line endings",
      { "avatarops.yaml": inYaml.replaceAll("\n", "\r\n") },
      "avatarops.yaml",
      (inYaml + formatNightDesk(2)).replaceAll("\n", "\r\n"),
      itsPrompt,
    ],
  ])(
    "declares the object in the project's existing layout: %s",
    async (_layout, files, file, text, more = {}) => {
      const project = await startWithUndeclared(files);
      const dry = await importObjects(project, "--dry-run", night.address, night.id);
      for (const one of Object.keys(files)) expect(await project.read(one)).toBe(files[one]);
      for (const one of Object.keys(more)) expect(project.has(one)).toBe(false);
      const done = await importObjects(project, night.address, night.id);
      expect(done).toMatchObject({
        imported: [{ address: night.address, id: night.id, label: "Night desk", file }],
        files: expect.arrayContaining([file, ...Object.keys(more)]),
        left_out: [],
      });
      expect(dry).toEqual({ ...done, dry_run: true });
      expect(await project.read(file)).toBe(text);
      for (const [one, content] of Object.entries(more)) expect(await project.read(one)).toBe(content);
      await project.expectNothingToDo("--refresh", "full");
      // The object is managed now, so an edit is drift and can be pulled.
      project.emulator.editContext("Night desk", { prompt: "Speak up.", opening_text: "Psst" });
      expect(await project.avatarops("pull", night.address)).toMatchObject({ exit: 0 });
      await project.expectNothingToDo("--refresh", "full");
    },
  );

  test("declares the object only in the environment given with --env", async () => {
    const yaml = `${inYaml}environments:\n  staging:\n    state: staging.json\n  same:\n    drift: overwrite\n`;
    const project = await startWithUndeclared({ "avatarops.yaml": yaml });
    await importObjects(project, "--env", "staging", night.address, night.id);
    expect(await project.read("avatarops.yaml")).toContain(
      "  staging:\n    state: staging.json\n    contexts:\n      night-desk:\n        name: Night desk\n",
    );
    expect((await project.json("plan")).changes).toEqual([]);
    await project.expectNothingToDo("--env", "staging", "--target", night.address);
    // An environment that uses the default state shares the declaration.
    await project.expectDone("state", "replace-project", "-y", "--env", "same");
    await importObjects(project, "--env", "same", "avatar.host", "10000000-0000-4000-8000-000000000000");
    await project.expectNothingToDo();
    await project.expectNothingToDo("--env", "same");
  });
});

describe("import --write --all", () => {
  const world = () => {
    const all = generateDataset({ avatars: 3, voices: 2, contexts: 6 });
    const names = ["Context 1", "Twin", "Twin", "Müller & Söhne", "first", "Half \ud800"];
    for (const [at, name] of names.entries()) Object.assign(all.contexts[at] ?? {}, { name });
    Object.assign(all.contexts[5] ?? {}, { prompt: "half \udfff" });
    return all;
  };
  const emulator = { behavior: { contextNames: "free" } } as const;

  test("declares all undeclared objects and leaves an empty plan", async () => {
    const files = {
      "avatarops.yaml": "include: [contexts/*.md]\n",
      "contexts/first.md": `---\n${first}---\n`,
    };
    const project = await startAndApply({ files, world: world(), emulator });
    await project.write("contexts/muller-sohne.md.txt", "not ours");
    const done = await importObjects(project, "--all");
    expect(
      done.imported.map(({ address, file }: { address: string; file: string }) => [address, file]),
    ).toEqual([
      ["avatar.avatar-1", "avatarops.yaml"],
      ["avatar.avatar-2", "avatarops.yaml"],
      ["avatar.avatar-3", "avatarops.yaml"],
      ["voice.voice-1", "avatarops.yaml"],
      ["voice.voice-2", "avatarops.yaml"],
      ["context.half", "avatarops.yaml"],
      ["context.muller-sohne", "contexts/muller-sohne.md"],
      ["context.twin", "contexts/twin.md"],
      ["context.twin-2", "contexts/twin-2.md"],
      ["context.first-2", "contexts/first-2.md"],
    ]);
    await project.expectNothingToDo();
    await project.expectNothingToDo("--refresh", "full");
    expect(await importObjects(project, "--all")).toMatchObject({ imported: [], files: [] });
  });

  test("skips objects that may match a declaration, and names the declaration", async () => {
    const files = { "avatarops.yaml": `contexts: { one: { name: Twin, prompt: x } }\n` };
    const project = await startProject({ files, world: world(), emulator });
    const { exit, stdout } = await project.avatarops("import", "--write", "--all", "--format", "json");
    const done = JSON.parse(stdout);
    expect(exit).toBe(3);
    expect(done.left_out).toEqual(
      [1, 2].map((at) => matchText(`30000000-0000-4000-8000-00000000000${at} may be context.one`)),
    );
    expect(done.imported).toHaveLength(9);
  });

  test.each([
    [
      "the main file",
      "templates: [prompts/*.md]\n",
      "prompts/night-desk.md",
      "Say \\{{name}} and \\{{#if x}}.\n",
    ],
    [
      "documents",
      "include: [contexts/*.md]\ntemplates: [contexts/*.md]\n",
      "contexts/night-desk.md",
      inDocument.replace("Be quiet.\nVery.", "Say \\{{name}} and \\{{#if x}}."),
    ],
  ])("escapes braces in a new template of %s", async (_, yaml, file, text) => {
    const project = await startWithUndeclared({ "avatarops.yaml": yaml });
    project.emulator.editContext(night.id, { prompt: "Say {{name}} and {{#if x}}." });
    await importObjects(project, "--all");
    expect(await project.read(file)).toBe(text);
    await project.expectNothingToDo();
  });

  test("exits with 3 if an object violates a policy, and imports the others", async () => {
    const project = await startWithUndeclared({
      "avatarops.yaml": "policies: { forbidden-phrases: { severity: error, phrases: [Be quiet] } }\n",
    });
    const result = await project.avatarops("import", "--write", "--all");
    expect(result).toMatchObject({
      ...{ exit: 3, stdout: matchText("3 objects imported into") },
      stderr: matchText("cannot be declared"),
    });
    // Only the violating object is left, so nothing can be imported.
    expect(await project.avatarops("import", "--write", "--all")).toMatchObject({
      exit: 1,
      stdout: matchText("Nothing was imported."),
    });
  });

  test("exits with 3 if a required field cannot be declared, and imports the others", async () => {
    const project = await startWithUndeclared({ "avatarops.yaml": "{}\n" });
    project.emulator.editContext(night.id, { name: "" });
    const result = await project.avatarops("import", "--write", "--all");
    expect(result).toMatchObject({
      ...{ exit: 3, stdout: matchText("objects imported into") },
      stderr: matchText("cannot be declared: avatarops does not accept its name"),
    });
    expect(await project.avatarops("import", "--write", "--all")).toMatchObject({
      ...{ exit: 1, stdout: matchText("Nothing was imported.") },
    });
  });

  test("exits with 1 if the main file cannot be edited", async () => {
    const project = await startProject({ files: { "avatarops.json": "{}\n" }, world: world(), emulator });
    const argv = ["import", "--write", "--all", "--file", "avatarops.json"];
    expect(await project.avatarops(...argv)).toMatchObject({
      ...{ exit: 1, stdout: matchText("Nothing was imported.") },
      stderr: matchText("avatarops does not edit JSON"),
    });
    expect(await project.avatarops(...argv, "--dry-run")).toMatchObject({
      ...{ exit: 1, stdout: matchText("Nothing would be imported.") },
    });
  });
});

describe("import --write", () => {
  test("prints code for a TypeScript project, and adopts the object once the code is pasted", async () => {
    const code = (more = "") => `import { Context, Project, promptFile } from "avatarops";
const project = new Project();
new Context(project, "first", { name: "Context 1", prompt: "Be polite." });
${more}export default project;
`;
    const project = await startWithUndeclared({ "avatarops.config.ts": code() });
    const dry = await project.avatarops("import", "--write", "--dry-run", night.address, night.id);
    expect(dry).toMatchObject({ exit: 0, stdout: matchText("promptFile") });
    expect(project.has("prompts/night-desk.md")).toBe(false);
    const result = await project.avatarops("import", "--write", night.address, night.id);
    expect(result).toMatchObject({ exit: 3, stderr: matchText("avatarops does not edit code") });
    expect(result.stdout).toEqual(matchText("1 object to paste; 1 file written."));
    expect(result.stdout).toContain(
      '// import { Context, promptFile } from "avatarops";\nnew Context(project, "night-desk", {\n',
    );
    expect(await project.read("prompts/night-desk.md")).toBe("Be quiet.\nVery.\n");
    expect(await project.read("avatarops.config.ts")).toBe(code());
    // Undeclared objects are not managed, so the plan is unchanged.
    await project.expectNothingToDo();
    const pasted = result.stdout.slice(
      result.stdout.indexOf("new Context"),
      result.stdout.indexOf("});") + 4,
    );
    await project.write("avatarops.config.ts", code(pasted));
    expect(await project.avatarops("import", "--write", night.address, night.id)).toMatchObject({ exit: 0 });
    await project.expectNothingToDo();
  });

  test("writes Markdown if a TypeScript project includes Markdown files", async () => {
    const code = `import { Project } from "avatarops";\nexport default new Project({ include: ["contexts/*.md"] });\n`;
    const project = await startWithUndeclared({ "avatarops.config.ts": code });
    await importObjects(project, night.address, night.id);
    expect(project.has("contexts/night-desk.md")).toBe(true);
    await project.expectNothingToDo();
  });

  test("rejects a file name that Windows does not allow", async () => {
    const project = await startWithUndeclared({
      "avatarops.yaml": "include: [contexts/*.md]\n",
      "contexts/a.md": `---\n${first}---\n`,
    });
    await project.expectRefused(
      ["import", "--write", "context.Con", night.id],
      "context.Con cannot be declared: Windows does not allow a file named contexts/Con.md. Import the object under another name.",
    );
    expect(project.has("contexts/Con.md")).toBe(false);
    const other = await startWithUndeclared({ "avatarops.yaml": "{}\n" });
    await importObjects(other, "context.Con", night.id);
    expect(other.has("prompts/Con-2.md")).toBe(true);
    await other.expectNothingToDo();
  });

  test("never overwrites an existing file", async () => {
    const taken = {
      "avatarops.yaml": "include: [contexts/a*.md, contexts/n*.md]\n",
      "contexts/Night-Desk.md": "mine\n",
    };
    const project = await startWithUndeclared({ ...taken, "contexts/a.md": `---\n${first}---\n` });
    await project.expectRefused(
      ["import", "--write", night.address, night.id],
      "contexts/night-desk.md already exists and is not overwritten. Import the object under another name.",
    );
    expect(await project.read("contexts/Night-Desk.md")).toBe("mine\n");
    const texts = { "avatarops.yaml": "{}\n", "prompts/night-desk.md": "mine\n" };
    const other = await startWithUndeclared(texts);
    await importObjects(other, night.address, night.id);
    expect(await other.read("prompts/night-desk.md")).toBe("mine\n");
    expect(await other.read("prompts/night-desk-2.md")).toBe("Be quiet.\nVery.\n");
    await other.expectNothingToDo();
  });

  test("writes nothing outside the project", async () => {
    const project = await startWithUndeclared({ "avatarops.yaml": "include: [contexts/*.md]\n" });
    const elsewhere = await newFolder();
    symlinkSync(elsewhere, path.join(project.folder, "contexts"));
    await project.expectRefused(
      ["import", "--write", night.address, night.id],
      "leads outside the project folder",
    );
  });

  test.each<[what: string, argv: readonly string[], why: string]>([
    ["a secret", ["secret.llm", "some-id"], "The service cannot read objects of the kind secret."],
    [
      "an unknown id",
      ["context.x", "30000000-0000-4000-8000-00000000000f"],
      "No context with the id 30000000-0000-4000-8000-00000000000f was found",
    ],
    ["a voice without an avatar", ["voice.x", "20000000-0000-4000-8000-00000000000f"], "Declare it by hand"],
    [
      "a managed object",
      ["context.x", "30000000-0000-4000-8000-000000000000"],
      "is already managed as context.first",
    ],
    ["an invalid name", ["context.night/desk", night.id], "is not a valid name"],
    ["a name without a kind", ["night", night.id], "is not an address"],
    ["a call without arguments", [], "Missing ADDRESS and ID, or --all"],
    ["an address together with --all", ["--all", "context.x", night.id], "takes no ADDRESS or ID"],
  ])("rejects %s", async (_what, argv, why) => {
    const project = await startWithUndeclared({ "avatarops.yaml": inYaml });
    const state = await project.read(".avatarops/state.json");
    await project.expectRefused(["import", "--write", ...argv], why);
    expect(await project.read("avatarops.yaml")).toBe(inYaml);
    expect(await project.read(".avatarops/state.json")).toBe(state);
  });

  test("rejects an object that matches another declaration", async () => {
    const yaml = `${inYaml}  other: { name: Night desk, prompt: x }\n`;
    const project = await startProject({
      files: { "avatarops.yaml": inYaml },
      world: generateDataset({ contexts: 2 }),
    });
    project.emulator.editContext(night.id, { name: "Night desk" });
    await project.write("avatarops.yaml", yaml);
    await project.expectRefused(
      ["import", "--write", night.address, night.id],
      `avatarops import context.other ${night.id}`,
    );
  });

  test("changes neither files nor state if the include patterns would miss the new file", async () => {
    // Include patterns never match files in node_modules.
    const yaml = "include: [node_modules/desks/*.md]\n";
    const host = "avatars: { host: { id: 10000000-0000-4000-8000-000000000000 } }\n";
    const project = await startWithUndeclared({ "avatarops.yaml": yaml + host });
    const { objects, pending } = JSON.parse(await project.read(".avatarops/state.json"));
    await project.expectRefused(["import", "--write", night.address, night.id], "Nothing was changed");
    expect(project.has("node_modules/desks/night-desk.md")).toBe(false);
    expect(await project.read("avatarops.yaml")).toBe(yaml + host);
    expect(JSON.parse(await project.read(".avatarops/state.json"))).toMatchObject({ objects, pending });
  });
});

test("rejects an import if its folder for prompts is a file", async () => {
  const project = await startWithUndeclared({ "avatarops.yaml": inYaml, prompts: "Notes\n" });
  const folder = path.join(project.folder, "prompts");
  const why = `error[unwritable] Cannot write into ${folder}: it is a file.`;
  await project.expectRefused(["import", "--write", "--all"], why);
  await project.expectRefused(["import", "--write", night.address, night.id], why);
  expect(await project.read("avatarops.yaml")).toBe(inYaml);
});
