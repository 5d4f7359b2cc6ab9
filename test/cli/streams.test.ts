import path from "node:path";
import { describe, expect, test } from "vitest";
import { commands } from "../../src/entrypoints/cli/commands.js";
import { calls, longRunning, startCalledProject } from "./calls.js";
import type { Project } from "./hosting.js";

/*
 * Checks that results go to stdout and messages to stderr, and that --quiet silences only messages.
 * command-line.test.ts covers invalid command lines.
 */

test("has a sample call for every command that exits on its own", () => {
  const names = commands.map(({ name }) => name).filter((name) => !longRunning.includes(name));
  expect(Object.keys(calls).sort()).toEqual(names.sort());
});

/** Calls that change the project. The next call starts with a new project. */
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

  test("prints the same stdout but less stderr with --quiet, and one document with --format json", async () => {
    let project: Project | undefined;
    const call = async (...more: string[]) => {
      if (!project || changing.includes(name)) project = await startCalledProject();
      return runNormalized(project, [...argv, ...more]);
    };
    const [loud, quiet] = [await call(), await call("--quiet")];
    expect(quiet).toMatchObject({ exit: loud.exit, stdout: loud.stdout });
    expect(loud.stderr).toContain(quiet.stderr);
    if (!formats.includes("json")) return;
    expect(JSON.parse((await call("--format", "json")).stdout)).toBeTypeOf("object");
  });
});

/** Returns a call's output, with ids, times and folders replaced by constants. */
async function runNormalized(project: Project, argv: readonly string[]) {
  const { exit, stdout, stderr } = await project.avatarops(...argv);
  const replaceVaryingParts = (text: string) =>
    text
      .replaceAll(project.emulator.url, "URL")
      .replaceAll(path.basename(project.folder), "FOLDER")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
      .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z| \d\d:\d\d UTC)/g, "TIME");
  return { exit, stdout: replaceVaryingParts(stdout), stderr: replaceVaryingParts(stderr) };
}
