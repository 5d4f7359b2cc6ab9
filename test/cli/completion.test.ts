import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findInline } from "../../scripts/docs/passages.js";
import { listCommandOptions } from "../../src/entrypoints/cli/command.js";
import { commands } from "../../src/entrypoints/cli/commands.js";
import { expandNegated } from "../../src/entrypoints/cli/facts/option.js";
import { generateSchemaCommand } from "../../src/entrypoints/cli/facts/others.js";
import { documentNames } from "../../src/output/documents/index.js";
import { findBuilt } from "../built.js";
import { matchText, newFolder, runIn } from "./hosting.js";
import { openShell } from "./shell.js";

/** Creates a project with two files, a subfolder and a managed object that was removed from the files. */
async function newProject(): Promise<string> {
  const folder = await newFolder();
  const files = {
    "avatarops.yaml": `contexts: { returns: { name: R, prompt: P }, sales: { name: S, prompt: P } }
sessions: { kiosk: { mode: FULL, avatar_id: a03779b1-9e37-4a1b-9c2d-5ee0fe120000, persona: { context: sales } } }
environments: { staging: { contexts: { stage: { name: T, prompt: P } } }, production: {} }
`,
    ".avatarops/state.json": '{ "objects": { "context.old": {}, "context.sales": {} } }',
    "plan one.json": "",
    "plan-two.json": "",
    "plans/a": "",
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

async function writeScript(folder: string, shell: string): Promise<void> {
  const { exit, stdout, stderr } = await runIn(folder, ["completion", shell]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  writeFileSync(path.join(folder, "script"), stdout);
}

/** Runs a shell with avatarops on its PATH. */
function runShell(program: string, argv: readonly string[], cwd: string): string[] {
  const bin = path.join(cwd, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  if (!existsSync(path.join(bin, "avatarops"))) symlinkSync(findBuilt(), path.join(bin, "avatarops"));
  const { status, stdout, stderr } = spawnSync(program, argv, {
    ...{ cwd, encoding: "utf8" },
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: cwd,
      TERM: "xterm",
      npm_config_update_notifier: "false",
    },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.split("\n").filter((line) => line !== "");
}

/** Expected candidates by command line. */
const offers: readonly (readonly [line: string, offered: readonly string[] | "files" | "folders"])[] = [
  ["rollb", ["rollback"]],
  ["state mi", ["migrate"]],
  ["emulate ed", ["edit"]],
  ["help sess", ["sessions", "sessions.md"]],
  ["help sh", ["shared-state", "show"]],
  ["sh", ["show"]],
  ["apply --auto", ["--auto-approve"]],
  ["apply --no-w", ["--no-wait-for-idle"]],
  ["state list --form", ["--format"]],
  ["apply --quiet --refresh ", ["auto", "full"]],
  ["apply --refresh=f", ["full"]],
  ["sessions report --by d", ["day"]],
  ["sessions s", ["serve", "show", "stop"]],
  ["generate schema sess", ["sessions-report"]],
  ["completion ", ["bash", "fish", "powershell", "zsh"]],
  ["apply plan", "files"],
  ["plan -o plan-", "files"],
  ["init pl", "folders"],
  ["plan --target ", ["context.old", "context.returns", "context.sales"]],
  ["plan --target=context.r", ["context.returns"]],
  ["plan --env staging --target context.s", ["context.sales", "context.stage"]],
  ["state forget context.returns context.o", ["context.old"]],
  ["plan --env ", ["production", "staging"]],
  ["diff ", ["account", "files", "production", "staging"]],
  ["diff staging ", ["account", "files", "production", "staging"]],
  ["diff staging production ", []],
  ["state mv context.r", ["context.returns"]],
  ["token --env='staging' ki", ["kiosk"]],
  ["plan --env s", ["staging"]],
  ["sessions serve --listen ", []],
  ["apply --comment 'a plan ", []],
];

test.each(offers)("completes the command line %j", async (line, expected) => {
  const { exit, stdout } = await runIn(await newProject(), ["completion", "bash", `avatarops ${line}`]);
  const [kind, ...words] = stdout.trimEnd().split("\n");
  expect([exit, kind === "words" ? words.sort() : kind]).toEqual([0, expected]);
});

test("completes every command and every option", async () => {
  const folder = await newFolder();
  const complete = async (line: string) =>
    (await runIn(folder, ["completion", "bash", `avatarops ${line}`])).stdout.trimEnd().split("\n").slice(1);
  for (const facts of commands) {
    const words = facts.name.split(" ");
    if (words.length === 1 || words[0] !== "emulate")
      expect(await complete([...words.slice(0, -1), ""].join(" "))).toContain(words.at(-1));
    const flags = expandNegated(listCommandOptions(facts)).flatMap(({ flags }) => flags.match(/-[\w-]+/g));
    expect((await complete(`${facts.name} -`)).sort()).toEqual([...flags, "-h", "--help"].sort());
  }
});

test("completes addresses of a project in a parent folder", async () => {
  const folder = await newProject();
  const complete = async () => runIn(path.join(folder, "plans"), ["completion", "bash", "avatarops show "]);
  const { exit, stdout, stderr } = await complete();
  expect({ exit, words: stdout.trimEnd().split("\n").sort(), stderr }).toEqual({
    exit: 0,
    words: ["context.old", "context.returns", "context.sales", "words"],
    stderr: "",
  });
});

test("completes addresses of avatarops.yaml if the nearest folder also has avatarops.config.ts", async () => {
  const folder = await newProject();
  writeFileSync(path.join(folder, "avatarops.config.ts"), 'throw new Error("ran");');
  for (const cwd of [folder, path.join(folder, "plans")]) {
    const ran = await runIn(cwd, ["completion", "fish", "avatarops show context.s"]);
    expect(ran).toMatchObject({ exit: 0, stdout: "words\ncontext.sales\n", stderr: "" });
  }
  // Another project's folder is closer to the working folder.
  const near = path.join(folder, "plans", "inner");
  mkdirSync(near);
  writeFileSync(path.join(near, "avatarops.yaml"), "contexts: { near: { name: Near, prompt: Hi. } }\n");
  expect(await runIn(near, ["completion", "fish", "avatarops show c"])).toMatchObject({
    stdout: "words\ncontext.near\n",
  });
});

test("completes addresses without running a TypeScript project's code", async () => {
  const folder = await newProject();
  rmSync(path.join(folder, "avatarops.yaml"));
  writeFileSync(path.join(folder, "avatarops.config.ts"), 'throw new Error("ran");');
  const { exit, stdout, stderr } = await runIn(folder, ["completion", "fish", "avatarops plan --target c"]);
  expect({ exit, stdout, stderr }).toEqual({
    exit: 0,
    stdout: "words\ncontext.old\ncontext.sales\n",
    stderr: "",
  });
});

test("adds descriptions to completions in shells that show descriptions", async () => {
  const complete = async (shell: string, line: string) =>
    (await runIn(await newFolder(), ["completion", shell, line])).stdout;
  expect(await complete("fish", "avatarops apply --auto")).toBe(
    "words\n--auto-approve\tapply without asking\n",
  );
  expect(await complete("zsh", "avatarops apply --auto")).toBe(
    "words\n--auto-approve:apply without asking\n",
  );
  expect(await complete("powershell", "avatarops apply --refresh=f")).toBe("words\n--refresh=full\n");
});

describe("completion in bash", () => {
  test("completes commands, options and files at a terminal even if avatarops is a shell function", {
    tags: "script",
  }, async () => {
    const folder = await newProject();
    await writeScript(folder, "bash");
    const shell = await openShell(folder, {});
    shell.type("source ./script\r");
    const type = async (keys: string, expected: string) => {
      shell.type(keys);
      await shell.until((lines) => lines.some((line) => line.endsWith(expected)));
    };
    await type("echo && avatarops apply --auto\t", "avatarops apply --auto-approve");
    await type("--refresh=f\t", "--auto-approve --refresh=full");
    await type("--target context.r\t", "--target context.returns");
    // Starts a new line, because the line would wrap at 80 columns.
    shell.type("\u0015clear\r");
    await type("avatarops apply plan-\t", "apply plan-two.json");
    shell.type("\u0015clear\r");
    await type("avatarops apply 'plan o\t", "apply 'plan one.json'");
  });

  test("is enabled for a shell function that calls npx in a project with avatarops installed", async () => {
    const folder = await newFolder();
    const lines = `${findInline("docs/commands.md", "avatarops()")}\nsource <(avatarops completion bash)\ncomplete -p avatarops`;
    expect(runShell("bash", ["--norc", "-c", lines], folder)).toEqual(["complete -F _avatarops avatarops"]);
  });
});

describe("completion in zsh", () => {
  test("completes commands, options and files at a terminal even if avatarops is a shell function", {
    tags: ["zsh", "script"],
  }, async () => {
    const folder = await newProject();
    await writeScript(folder, "zsh");
    const shell = await openShell(folder, {}, "zsh -f -i");
    shell.type("autoload -Uz compinit; compinit -u -d ./dump; source ./script\r");
    const type = async (keys: string, expected: string) => {
      shell.type(keys);
      await shell.until((lines) => lines.some((line) => line.endsWith(expected)));
    };
    await type("avatarops apply --auto\t", "avatarops apply --auto-approve");
    await type("--refresh=f\t", "--auto-approve --refresh=full");
    await type("--target context.r\t", "--target context.returns");
    // Starts a new line, because the line would wrap at 80 columns.
    shell.type("\u0015clear\r");
    await type("avatarops apply plan-\t", "apply plan-two.json");
  });
});

describe("completion in fish", () => {
  test("completes options with descriptions, option values, addresses and files", {
    tags: "fish",
  }, async () => {
    const folder = await newProject();
    await writeScript(folder, "fish");
    const complete = (line: string) =>
      runShell(
        "fish",
        ["--no-config", "-c", 'source ./script; complete -C "$argv"', `avatarops ${line}`],
        folder,
      );
    expect(complete("apply --auto")).toEqual(["--auto-approve\tapply without asking"]);
    expect(complete("apply --refresh=f")).toEqual(["--refresh=full"]);
    expect(complete("plan --target context.r")).toEqual(["context.returns"]);
    expect(complete("apply plan-")).toEqual([expect.stringMatching(/^plan-two\.json/)]);
    expect(complete("init pl")).toEqual([expect.stringMatching(/^plans\//)]);
  });
});

test("rejects an unknown shell in the completion command", async () => {
  const { exit, stderr } = await runIn(await newFolder(), ["completion", "tcsh"]);
  expect([exit, stderr]).toEqual([1, matchText("Allowed choices are bash, zsh, fish, powershell.")]);
});

test("completes exactly the document names that `generate schema` accepts", () => {
  expect(generateSchemaCommand.arguments[0][2]).toEqual(documentNames);
});
