import path from "node:path";
import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { commands } from "../../src/entrypoints/cli/commands.js";
import { type Project, startProject } from "./hosting.js";

/*
 * stdout carries results, stderr progress and messages. So a pipe reads the same with and without --quiet, which silences
 * messages alone; JSON is all there is on stdout; and a command that fails has no result.
 */

const files = {
  "avatarops.yaml": [
    "contexts:",
    "  desk: { name: Desk, prompt: Be polite. }",
    "avatars:",
    "  host: { id: 10000000-0000-4000-8000-000000000000, name: Avatar 1 }",
    "sessions:",
    "  kiosk: { avatar: host }",
  ].join("\n"),
};

/** A call of each command that ends by itself, in a project that is applied. */
const calls: Readonly<Record<string, readonly string[]>> = {
  init: ["init", "new"],
  validate: ["validate"],
  plan: ["plan", "--out", "plan.json"],
  apply: ["apply", "--auto-approve"],
  pull: ["pull"],
  render: ["render", "context.support"],
  export: ["export", "exported"],
  import: ["import", "--write", "--all"],
  "state list": ["state", "list"],
  status: ["status"],
  "state show": ["state", "show", "context.desk"],
  "state mv": ["state", "mv", "context.desk", "context.counter"],
  "state forget": ["state", "forget", "context.desk"],
  "state move-service": ["state", "move-service", "http://old.example", "http://new.example"],
  "state unlock": ["state", "unlock"],
  "state migrate": ["state", "migrate", "--to", ".avatarops/other.json"],
  history: ["history"],
  show: ["show", "context.desk"],
  blame: ["blame", "context.desk"],
  review: ["review", "--dry-run"],
  prune: ["prune"],
  rollback: ["rollback", "--to", "1"],
  drift: ["drift"],
  hold: ["hold", "--reason", "legal check"],
  release: ["release"],
  diff: ["diff", "staging", "production"],
  promote: ["promote", "context.desk", "--from", "staging", "--to", "production"],
  "sessions list": ["sessions", "list"],
  "sessions report": ["sessions", "report", "--since", "2026-01-01", "--until", "2026-02-01"],
  "sessions show": ["sessions", "show", "10000000-0000-4000-8000-000000000000"],
  "sessions stop": ["sessions", "stop", "-y", "10000000-0000-4000-8000-000000000000"],
  token: ["token", "kiosk"],
  smoke: ["smoke", "--timeout", "0s"],
  "generate types": ["generate", "types"],
  "generate presets": ["generate", "presets"],
  "generate schema": ["generate", "schema"],
  completion: ["completion", "bash"],
  "emulate edit": ["emulate", "edit", "context.desk", "--opening-text", "Hello."],
  "terraform install": ["terraform", "install", "--dir", "plugins"],
};

/** Commands that never end by themselves. */
const endless = ["emulate", "sync", "sessions watch", "sessions serve"];

test("a call of each command is tried, but for those that never end by themselves", () => {
  const names = commands.map(({ name }) => name).filter((name) => !endless.includes(name));
  expect(Object.keys(calls).sort()).toEqual(names.sort());
});

describe.each(Object.entries(calls))("%s", (name, argv) => {
  const formats = commands.find((command) => command.name === name)?.formats ?? [];

  test("writes the same to stdout with --quiet, and less to stderr", async () => {
    const loud = await ran(await applied(), argv);
    const quiet = await ran(await applied(), [...argv, "--quiet"]);
    expect(quiet).toMatchObject({ exit: loud.exit, stdout: loud.stdout });
    expect(loud.stderr).toContain(quiet.stderr);
  });

  test.runIf(formats.includes("json"))("writes one JSON document to stdout, and nothing else", async () => {
    const { stdout } = await ran(await applied(), [...argv, "--format", "json"]);
    expect(JSON.parse(stdout)).toBeTypeOf("object");
  });

  test("writes nothing to stdout where its command line is wrong", async () => {
    const { exit, stdout, stderr } = await (await applied()).avatarops(...argv, "--nonsense");
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain("error[usage]");
  });
});

async function applied(): Promise<Project> {
  const project = await startProject({ files, world: generateDataset({ avatars: 1, voices: 1 }) });
  await project.avatarops("apply", "--auto-approve");
  return project;
}

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
