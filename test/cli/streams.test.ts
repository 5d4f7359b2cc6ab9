import path from "node:path";
import { describe, expect, test } from "vitest";
import { commands } from "../../src/entrypoints/cli/commands.js";
import { calls, endless, startCalled } from "./calls.js";
import type { Project } from "./hosting.js";

/*
 * stdout carries results, stderr progress and messages. So a pipe reads the same with and without --quiet, which silences
 * messages alone; JSON is all there is on stdout. That a wrong command line has no result is shown in command-line.test.ts.
 */

test("a call of each command is tried, but for those that never end by themselves", () => {
  const names = commands.map(({ name }) => name).filter((name) => !endless.includes(name));
  expect(Object.keys(calls).sort()).toEqual(names.sort());
});

/** After these, the next call would find another project. */
const changing = [
  ...[
    "init",
    "apply",
    "pull",
    "export",
    "import",
    "rollback",
    "hold",
    "release",
    "promote",
    "token",
    "smoke",
  ],
  ...["state mv", "state forget", "state migrate", "sessions stop", "emulate edit"],
  "terraform install",
];

describe.each(Object.entries(calls))("%s", (name, argv) => {
  const formats = commands.find((command) => command.name === name)?.formats ?? [];

  test("writes the same to stdout with --quiet, less to stderr, and as JSON one document", async () => {
    let project: Project | undefined;
    const call = async (...more: string[]) => {
      if (!project || changing.includes(name)) project = await startCalled();
      return ran(project, [...argv, ...more]);
    };
    const [loud, quiet] = [await call(), await call("--quiet")];
    expect(quiet).toMatchObject({ exit: loud.exit, stdout: loud.stdout });
    expect(loud.stderr).toContain(quiet.stderr);
    if (!formats.includes("json")) return;
    expect(JSON.parse((await call("--format", "json")).stdout)).toBeTypeOf("object");
  });
});

/** What a call wrote, with what differs from project to project made the same. */
async function ran(project: Project, argv: readonly string[]) {
  const { exit, stdout, stderr } = await project.avatarops(...argv);
  const alike = (text: string) =>
    text
      .replaceAll(project.emulator.url, "URL")
      .replaceAll(path.basename(project.folder), "FOLDER")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
      .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z| \d\d:\d\d UTC)/g, "TIME");
  return { exit, stdout: alike(stdout), stderr: alike(stderr) };
}
