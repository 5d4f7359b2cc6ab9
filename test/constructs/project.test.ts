import { cp, mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createEmptyDataset, type Dataset, generateDataset } from "../../src/emulator/index.js";
import { matchText, type Project, type ProjectSetup, startProject } from "../cli/hosting.js";

const voiceId = "403779b1-9e37-4a1b-9c2d-5ee0fe120000";
const avatarId = "a03779b1-9e37-4a1b-9c2d-5ee0fe120000";

/** Wraps statements in a complete definitions file. */
function formatDefinitions(statements: string, props = "{}"): string {
  return `import { Avatar, Context, env, exec, file, Preset, Project, promptFile, Secret, text, Voice } from "avatarops";
import { Construct } from "constructs";
const project = new Project(${props});
${statements}
export default project;
`;
}

const desk = 'new Context(project, "desk", { name: "Desk", prompt: "You help." });';

/** Starts a project whose only manifest is `avatarops.config.ts`, with an empty account. */
function start(main: string, files: ProjectSetup["files"] = {}, given: ProjectSetup = {}): Promise<Project> {
  return startProject({
    world: createEmptyDataset(),
    ...given,
    files: { "avatarops.config.ts": main, ...files },
  });
}

function createWorldWithAvatar(): Dataset {
  const world = generateDataset({ avatars: 1 });
  return { ...world, avatars: world.avatars.map((avatar) => ({ ...avatar, id: avatarId })) };
}

async function runPlan(project: Project, ...argv: string[]): Promise<string[]> {
  const ran = await project.avatarops("plan", "--format", "json", ...argv);
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
  const { changes } = JSON.parse(ran.stdout) as { changes: { action: string; address: string }[] };
  return changes.map(({ action, address }) => `${action} ${address}`);
}

describe("TypeScript project", () => {
  test("requires --file if a YAML manifest exists", async () => {
    const project = await start(formatDefinitions(desk), { "avatarops.yaml": "contexts: {}\n" });
    expect(await project.avatarops("validate")).toMatchObject({
      exit: 1,
      stdout: matchText("has both avatarops.yaml and avatarops.config.ts choose one with --file"),
    });
    expect(await runPlan(project, "-f", "avatarops.config.ts")).toEqual(["create context.desk"]);
    expect(await runPlan(project, "-f", "avatarops.yaml")).toEqual([]);
  });

  test("includes YAML and Markdown, or is included from YAML, with references in both directions", async () => {
    const preset =
      'import { mara } from "./shared/more.js"; new Preset(project, "kiosk", { persona: { context: "md", voice: mara }, avatar: "host" });';
    const yaml = `avatars: { host: { id: ${avatarId} } }\nsessions: { other: { persona: { context: desk } } }\n`;
    const files = {
      "contexts/md.md": "---\nname: From Markdown\n---\nYou help.\n",
      "shared/objects.yaml": yaml,
      "shared/more.ts": formatDefinitions(
        `export const mara = new Voice(project, "mara", { id: "${voiceId}", name: "Mara" }); ${desk}`,
        '{ include: ["contexts/*.md"] }',
      ),
    };
    const [main, other] = [
      formatDefinitions(preset, '{ include: ["shared/*"] }'),
      "include: [avatarops.config.ts]\n",
    ];
    const project = await start(main, { ...files, "other.yaml": other }, { world: createWorldWithAvatar() });
    const addresses = [
      expect.stringContaining("avatar.host"),
      expect.stringContaining("voice.mara"),
      "create context.desk",
      "create context.md",
    ];
    expect((await runPlan(project)).sort()).toEqual(expect.arrayContaining(addresses));
    expect((await runPlan(project, "-f", "other.yaml")).sort()).toEqual(expect.arrayContaining(addresses));
  });

  test("names objects created within a construct by their construct path", async () => {
    const project = await start(
      formatDefinitions(`
class Desk extends Construct {
  readonly context: Context;
  constructor(scope: Construct, id: string, name: string) {
    super(scope, id);
    this.context = new Context(this, "context", { name, prompt: "You help." });
    const voice = new Voice(this, "voice", { id: "${voiceId}", name: "Mara" });
    new Preset(this, "kiosk", { mode: "FULL", avatar: host, persona: { voice, context: this.context } });
  }
}
const host = new Avatar(project, "host", { id: "${avatarId}" });
new Desk(new Construct(project, "shop"), "de", "Desk");`),
      {},
      { world: createWorldWithAvatar() },
    );
    await project.avatarops("apply", "-y", "--target", "context.shop-de-context");
    const minted = await project.avatarops("token", "shop-de-kiosk");
    expect(minted).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^session-token-/) });
  });
});

describe("pull in a TypeScript project", () => {
  test("updates a prompt file and reports the line of a value that it cannot edit", async () => {
    const main = formatDefinitions(`
new Context(project, "desk", { name: "Desk", prompt: promptFile("prompts/desk.md"), openingText: "Hi" });`);
    const project = await start(main, { "prompts/desk.md": "You help.\n" });
    await project.expectApplied();
    project.emulator.editContext("Desk", { prompt: "Live.", opening_text: "Live opening" });

    const pulled = await project.avatarops("pull");

    expect(pulled.exit).toBe(3);
    expect(await project.read("prompts/desk.md")).toBe("Live.\n");
    expect(await project.read("avatarops.config.ts")).toBe(main);
    expect(pulled.stdout).toEqual(
      matchText(
        "The value cannot be written to avatarops.config.ts: it comes from line 5 of the code, which avatarops does not edit: write the live text there, or move it to a file and use `promptFile(…)`.",
      ),
    );
  });
});

describe("TypeScript definitions", () => {
  const syntax = formatDefinitions(`
import data from "./lib/data.json" with { type: "json" };
import { names } from "./lib/names.js";
import { names as withExtension } from "./lib/names.js";
import { names as byPath } from "@lib/names.ts";
enum Market { De = "de" }
function logged(_target: unknown, _key: string) {}
class Desk extends Construct {
  constructor(scope: Construct, readonly id: string) { super(scope, id); }
  @logged make() {
    const links = [{ url: "https://example.com", faq: undefined }];
    return new Context(this, "context", { name: data.name, prompt, links } satisfies { name: string; prompt: string; links: object[] });
  }
}
const prompt: string = await Promise.resolve(names === withExtension && names === byPath ? "same" : "twice");
new Desk(project, Market.De).make();`);
  const files = {
    "lib/data.json": '{ "name": "From JSON" }',
    "lib/names.ts": "export const names: readonly string[] = [];\n",
    "tsconfig.json":
      '{ "compilerOptions": { "experimentalDecorators": true, "paths": { "@lib/*": ["./lib/*"] } } }',
  };

  test.each([
    ["a folder without a package.json", {}],
    ["a package of CommonJS", { "package.json": "{}" }],
    ["a package of ES modules", { "package.json": '{ "type": "module" }' }],
  ])("support decorators, enums, JSON imports and path aliases in %s", async (_where, more) => {
    const project = await start(syntax, { ...files, ...more });
    await project.expectApplied();
    expect(project.emulator.world.contexts).toMatchObject([{ name: "From JSON", prompt: "same" }]);
  });

  test.each([
    ["extends a missing package", '{ "extends": "@tsconfig/none/tsconfig.json" }'],
    ["has invalid paths", '{ "compilerOptions": { "paths": { "@lib/*": 5 } } }'],
  ])("load with a warning if a tsconfig.json %s", async (_why, tsconfig) => {
    const project = await start(formatDefinitions(desk), { "tsconfig.json": tsconfig });
    expect(await project.avatarops("apply", "-y")).toMatchObject({
      exit: 0,
      stderr: matchText("warning[tsconfig] tsconfig.json cannot be read, so its paths are not used"),
    });
    expect(project.emulator.world.contexts).toMatchObject([{ name: "Desk" }]);
  });

  test("are reloaded with their imports by every command", async () => {
    const main = 'import { name } from "./lib/name.mjs";\nimport { prompt } from "./lib/prompt.js";';
    const project = await start(
      formatDefinitions(`${main}\nnew Context(project, "desk", { name, prompt });`),
      {
        "lib/name.mts": 'export const name = "Desk";',
        "lib/prompt.ts": 'export const prompt = "before";',
      },
    );
    await project.expectApplied();
    await project.write("lib/prompt.ts", 'export const prompt = "after";');
    await project.expectApplied();
    expect(project.emulator.world.contexts).toMatchObject([{ name: "Desk", prompt: "after" }]);
  });

  test("reload JSON modules for every command of a process", async () => {
    const main =
      'import texts from "./texts.json";\nnew Context(project, "desk", { name: "Desk", prompt: texts.desk });';
    const project = await start(formatDefinitions(main), { "texts.json": '{ "desk": "before" }' });
    await project.expectApplied();
    await project.write("texts.json", '{ "desk": "after" }');
    await project.expectApplied();
    expect(project.emulator.world.contexts).toMatchObject([{ prompt: "after" }]);
  });

  const byCommonJs = `const { Project, Context } = require("avatarops");
const project = new Project();
new Context(project, "desk", { name: "Desk", prompt: "You help." });
module.exports = project;
`;
  test.each([
    ["from a folder with spaces and umlauts in its name", "mein Büro/a b.ts", formatDefinitions(desk)],
    ["from a CommonJS module", "desk.cts", byCommonJs],
  ])("are loaded %s", async (_what, file, text) => {
    const project = await start("", { [file]: text });
    expect(await runPlan(project, "-f", file)).toEqual(["create context.desk"]);
  });
});

describe("second copy of a package", () => {
  const shared = `
import { Context } from "avatarops";
import { Construct } from "constructs";
export class Desk extends Construct {
  constructor(scope, id) { super(scope, id); new Context(this, "desk", { name: "Shared", prompt: "", openingTxt: "" }); }
}`;
  const files = {
    "node_modules/shared-desks/package.json": '{ "type": "module", "exports": "./index.js" }',
    "node_modules/shared-desks/index.js": shared,
  };
  const main = formatDefinitions('import { Desk } from "shared-desks"; new Desk(project, "shared");');

  /** Symlinks this package and copies `constructs` into the project. */
  async function installInto({ folder }: Project, constructs: string): Promise<void> {
    await symlink(process.cwd(), path.join(folder, "node_modules/avatarops"));
    await mkdir(path.join(folder, constructs, ".."), { recursive: true });
    await cp("node_modules/constructs", path.join(folder, constructs), { recursive: true });
  }

  test.each([
    ["avatarops in the project", "node_modules/constructs"],
    ["constructs in a package", "node_modules/shared-desks/node_modules/constructs"],
  ])("creates constructs that the running command accepts: %s", async (_what, constructs) => {
    const project = await start(main, files);
    await installInto(project, constructs);
    const { stdout } = await project.avatarops("validate");
    // Reports the user's call, not the line in the package.
    expect(stdout).toEqual(
      matchText('context.shared-desk has no field "openingTxt" (construct shared/desk)'),
    );
    expect(stdout).toContain("avatarops.config.ts:4:38");
  });
});

describe("selected environment", () => {
  const main = formatDefinitions(
    'new Context(project, "desk", { name: `Desk ${project.environment ?? "of all"}`, prompt: "Hi" });',
    '{ environments: { staging: { state: "staging.json" } } }',
  );

  test.each([
    [[], "Desk of all"],
    [["--env", "staging"], "Desk staging"],
  ])("is available to definitions with the options %j", async (flags, name) => {
    const project = await start(main);
    expect(await project.avatarops("apply", "-y", ...flags)).toMatchObject({ exit: 0 });
    expect(project.emulator.world.contexts).toMatchObject([{ name }]);
    await project.expectNothingToDo(...flags);
  });

  test("is available to definitions included from YAML", async () => {
    const project = await startProject({
      files: {
        "avatarops.yaml": "include: [more.ts]\nenvironments: { staging: {} }\n",
        "more.ts": formatDefinitions(
          'new Context(project, "desk", { name: String(project.environment), prompt: "Hi" });',
        ),
      },
      world: createEmptyDataset(),
    });
    expect(await project.avatarops("plan", "--env", "staging")).toMatchObject({
      exit: 0,
      stdout: matchText('create context.desk "staging"'),
    });
  });
});

describe("text() in TypeScript definitions", () => {
  const one = formatDefinitions(
    'const prompt: string = text("prompts/desk.md");\nnew Context(project, "desk", { name: `Desk ${prompt.length}`, prompt });',
  );

  test("returns a project file's content, regardless of the current folder", async () => {
    const project = await start(one, { "prompts/desk.md": "\uFEFFBe kind.\r\n" });
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    expect(project.emulator.world.contexts).toMatchObject([{ name: "Desk 8", prompt: "Be kind." }]);
    const { stdout } = await project.avatarops("validate", "--format", "json");
    expect(JSON.parse(stdout)).toMatchObject({ valid: true });
  });

  test("lets pull update the file if code uses the text unchanged", async () => {
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
    ["is extended by code", 'text("a.md") + " Always."', { "a.md": "Be kind.\n" }, "Be kind. Always."],
    [
      "is identical in two files",
      'text("a.md") && text("b.md")',
      { "a.md": "Be kind.\n", "b.md": "Be kind.\n" },
      "Be kind.",
    ],
  ])("makes pull leave the file unchanged if the text %s", async (_what, expression, files, prompt) => {
    const project = await start(
      formatDefinitions(`new Context(project, "desk", { name: "Desk", prompt: ${expression} });`),
      files,
    );
    await project.avatarops("apply", "-y");
    expect(project.emulator.world.contexts).toMatchObject([{ prompt }]);
    project.emulator.editContext(project.emulator.world.contexts[0]?.id ?? "", { prompt: "Be brief." });
    expect(await project.avatarops("pull")).toMatchObject({
      exit: 1,
      stdout: matchText("it comes from line 4 of the code"),
    });
    expect(await project.read("a.md")).toBe("Be kind.\n");
  });
});
