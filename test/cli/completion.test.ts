import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findInline } from "../../scripts/docs/passages.js";
import { listCommandOptions } from "../../src/entrypoints/cli/command.js";
import { commands } from "../../src/entrypoints/cli/commands.js";
import { expandNegated } from "../../src/entrypoints/cli/facts/option.js";
import { generateSchemaCommand } from "../../src/entrypoints/cli/facts/others.js";
import { documentNames } from "../../src/output/documents/index.js";
import { findBuilt } from "../built.js";
import { newFolder, runIn } from "./hosting.js";
import { openShell } from "./shell.js";

/** Creates a folder with the script, two files and a subfolder. */
async function newFolderWithScript(): Promise<string> {
  const folder = await newFolder();
  const { exit, stdout, stderr } = await runIn(folder, ["completion"]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  writeFileSync(path.join(folder, "script"), stdout);
  for (const name of ["plan one.json", "plan-two.json"]) writeFileSync(path.join(folder, name), "");
  mkdirSync(path.join(folder, "plans"));
  return folder;
}

function output(program: string, argv: readonly string[], cwd: string): string[] {
  const { status, stdout, stderr } = spawnSync(program, argv, {
    ...{ cwd, encoding: "utf8" },
    env: { PATH: process.env.PATH, HOME: cwd, TERM: "xterm", npm_config_update_notifier: "false" },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.split("\n").filter((line) => line !== "");
}

/** Expected candidates of each shell, by command line. */
const offers: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ["rollb", ["rollback"]],
  ["state mi", ["migrate"]],
  ["emulate ed", ["edit"]],
  ["help sess", ["sessions"]],
  ["apply --auto", ["--auto-approve"]],
  ["apply --no-w", ["--no-wait-for-idle"]],
  ["state list --form", ["--format"]],
  ["apply --quiet --refresh ", ["auto", "full"]],
  ["sessions report --by d", ["day"]],
  ["sessions s", ["serve", "show", "stop"]],
  ["generate schema sess", ["sessions-report"]],
  ["apply plan", ["plan one.json", "plan-two.json", "plans"]],
  ["plan -o plan-", ["plan-two.json"]],
  ["init pl", ["plans"]],
  ["plan --target ", []],
  ["state forget ", []],
];

describe("completion in bash", () => {
  /** Calls the completion function as bash does, which also splits at `=`. */
  const program = `source ./script
read -r _ _ function _ < <(complete -p avatarops)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
"$function"
printf '%s\\n' "\${COMPREPLY[@]}"`;

  function offered(folder: string, line: string): string[] {
    const words = `avatarops ${line}`.split(/ |(?<==)|(?==)/);
    return output("bash", ["--norc", "--noprofile", "-c", program, "bash", ...words], folder).sort();
  }

  test("offers the next words", async () => {
    const folder = await newFolderWithScript();
    for (const [line, expected] of offers) expect([line, offered(folder, line)]).toEqual([line, expected]);
    expect(offered(folder, "apply --refresh=f")).toEqual(["full"]);
    expect(offered(folder, "apply --refresh=")).toEqual(["auto", "full"]);
  });

  test("offers every command and every option", async () => {
    const folder = await newFolderWithScript();
    for (const facts of commands) {
      const words = facts.name.split(" ");
      expect(offered(folder, [...words.slice(0, -1), ""].join(" "))).toContain(words.at(-1));
      const flags = expandNegated(listCommandOptions(facts)).flatMap(({ flags }) => flags.match(/-[\w-]+/g));
      expect(offered(folder, `${facts.name} -`)).toEqual([...flags, "-h", "--help"].sort());
    }
  });

  test("completes a function that calls npx in a project with avatarops installed", async () => {
    const folder = await newFolder();
    mkdirSync(path.join(folder, "node_modules/.bin"), { recursive: true });
    symlinkSync(findBuilt(), path.join(folder, "node_modules/.bin/avatarops"));
    const lines = `${findInline("docs/commands.md", "avatarops()")}\nsource <(avatarops completion)\ncomplete -p avatarops`;
    expect(output("bash", ["--norc", "-c", lines], folder)).toEqual(["complete -F _avatarops avatarops"]);
  });

  test("completes at a terminal even if avatarops is a function", { tags: "script" }, async () => {
    const folder = await newFolderWithScript();
    const shell = await openShell(folder, {});
    shell.type("source ./script\r");
    shell.type("avatarops apply --auto\t");
    await shell.until((lines) => lines.some((line) => line.endsWith("avatarops apply --auto-approve")));
    shell.type("plan-\t");
    await shell.until((lines) => lines.some((line) => line.endsWith("--auto-approve plan-two.json")));
  });
});

describe("completion in zsh", () => {
  test("completes at a terminal even if avatarops is a function", {
    tags: ["zsh", "script"],
  }, async () => {
    const folder = await newFolderWithScript();
    const shell = await openShell(folder, {}, "zsh -f -i");
    shell.type("autoload -Uz compinit bashcompinit; compinit -u -d ./dump; bashcompinit; source ./script\r");
    for (const [line, offered] of offers) {
      if (offered.length !== 1) continue;
      const completed = `avatarops ${line.slice(0, line.lastIndexOf(" ") + 1)}${offered[0]}`;
      shell.type(`avatarops ${line}\t`);
      await shell.until((lines) => lines.some((shown) => shown.includes(completed)));
      shell.type("\u0015");
    }
  });
});

test("completes exactly the documents of generate schema", () => {
  expect(generateSchemaCommand.arguments[0][2]).toEqual(documentNames);
});
