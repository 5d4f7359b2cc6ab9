// @module-tag ci
/** Tests content that a commit can put into a state, journal, lock or record. */
import { describe, expect, test } from "vitest";
import { readMachineIdentity } from "../../src/core/state/index.js";
import { localMachine, matchText, startAndApply, startProject } from "../cli/hosting.js";
import { commitAll, git, newRepository } from "../git/repositories.js";
import { newRemote } from "../state/git-servers.js";
import { joinStreams } from "./thief.js";

const desk = "contexts: { desk: { name: Desk, prompt: Be kind. } }\n";
const nestBrackets = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

/** Returns a lock holder on this machine whose process has ended. */
const createDeadHolder = (id: string) =>
  `${JSON.stringify({ id, pid: 4_194_303, host: localMachine.hostname, since: "2026-01-02T03:04:05.000Z", command: "avatarops apply", ...readMachineIdentity(), startedAt: "1" })}\n`;

describe("circular lock files", () => {
  test.each([
    ["two files", { "": "a", ".a": "b", ".b": "a" }],
    ["one file and a leftover", { "": "a", ".a": "a", ".a-left": "a" }],
    [
      "many files",
      Object.fromEntries(
        ["", ...Array.from({ length: 30 }, (_, at) => `.i${at}`)].map((name, at) => [name, `i${at % 30}`]),
      ),
    ],
  ])("count as unreadable and can be removed: %s", async (_, locks) => {
    const project = await startProject({ files: { "avatarops.yaml": desk } });
    for (const [name, id] of Object.entries(locks))
      await project.write(`.avatarops/state.json.lock${name}`, createDeadHolder(id));
    const run = (...command: string[]) => project.avataropsWith(localMachine, ...command);
    const applied = await run("apply", "-y");
    expect(applied, joinStreams(applied)).toMatchObject({
      exit: 6,
      stderr: matchText("is unreadable, because another version of avatarops wrote it"),
    });
    expect(await run("state", "unlock")).toMatchObject({ exit: 0 });
    expect(await run("apply", "-y")).toMatchObject({ exit: 0 });
  });
});

describe("deeply nested JSON", () => {
  test.each([
    [
      "a state",
      "state.json",
      (text: string) => text.replace(/"applied": {/, `"applied": { "x": ${nestBrackets(2_000)},`),
    ],
    ["a whole state", "state.json", () => nestBrackets(5_000)],
    ["a lock", "state.json.lock", () => `{ "id": ${nestBrackets(5_000)} }`],
    ["a journal", "state.json.journal", () => `${nestBrackets(5_000)}\n${nestBrackets(5_000)}\n`],
  ])("is reported as damage in %s", async (_, file, write) => {
    const project = await startAndApply({ files: { "avatarops.yaml": desk } });
    const at = `.avatarops/${file}`;
    await project.write(at, write(project.has(at) ? await project.read(at) : ""));
    for (const command of [["plan"], ["apply", "-y"], ["status"], ["state", "list"], ["history"]]) {
      const ran = await project.avatarops(...command);
      expect(joinStreams(ran), command.join(" ")).not.toMatch(/Bug|bug in avatarops|call stack/i);
    }
    expect((await project.avatarops("apply", "-y")).exit).not.toBe(0);
  });

  test("causes no internal error in a history record", async () => {
    const project = await startAndApply({ files: { "avatarops.yaml": desk } });
    const history = ".avatarops/state.json.history";
    await project.write(history, `${await project.read(history)}${nestBrackets(5_000)}\n`);
    for (const command of [["history"], ["rollback", "--to", "1", "-y"], ["blame", "context.desk"]])
      expect(joinStreams(await project.avatarops(...command))).not.toMatch(/bug in avatarops|call stack/i);
  });
});

test.each(["!!omap", "!!pairs", "!!set", "!!binary", "!!timestamp", "!!merge"])(
  "rejects the YAML tag %s with its file and line",
  async (tag) => {
    for (const value of ["[a: 1, b: 2]", "{ a: 1 }", "aGVsbG8=", "2001-12-14"]) {
      const files = { "avatarops.yaml": `contexts: { desk: { name: Desk, prompt: ${tag} ${value} } }\n` };
      const project = await startProject({ files });
      const validated = await project.avatarops("validate");
      expect(validated.exit, `${tag} ${value}`).toBe(1);
      expect(joinStreams(validated)).toMatch(/avatarops\.yaml:1:\d+/);
      expect(joinStreams(validated)).not.toContain("bug in avatarops");
    }
  },
);

describe("git store", () => {
  test.each([
    "pull/7/head",
    "pull/7/avatarops",
    "merge-requests/7/head",
    "changes/01/1/1",
    "for/main",
    "keep-around/production",
    "notes/commits",
    "remotes/origin/main",
    "tags/avatarops/production",
    "heads/feature/production",
    "heads/main",
    "environments/production/deployments/1",
    "states/production",
  ])("rejects a state at %s", async (ref) => {
    const project = await startProject({
      files: { "avatarops.yaml": `state: git+refs://origin/${ref}\n${desk}` },
      environment: { PATH: process.env.PATH ?? "" },
    });
    git(project.folder, "init", "--quiet");
    commitAll(project.folder);
    const { url } = newRemote();
    git(project.folder, "remote", "add", "origin", url);
    expect(await project.avatarops("apply", "-y")).toMatchObject({
      exit: 1,
      stderr: matchText("must be a remote of the project's repository and a ref under"),
    });
    expect(git(project.folder, "ls-remote", "origin")).toBe("");
  });

  test("never removes a branch as a stale lock if it contains other files", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": `state: git+refs://origin/heads/avatarops/production\n${desk}` },
      environment: { PATH: process.env.PATH ?? "" },
    });
    const clone = newRepository({ "lock/0000000000": createDeadHolder("forged"), "README.md": "Theirs.\n" });
    const { url } = newRemote();
    git(clone, "remote", "add", "origin", url);
    git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/avatarops-locks/production");
    const branch = git(clone, "rev-parse", "HEAD");
    git(project.folder, "init", "--quiet");
    commitAll(project.folder);
    git(project.folder, "remote", "add", "origin", url);
    const run = (...command: string[]) => project.avataropsWith(localMachine, ...command);
    expect(await run("apply", "-y")).toMatchObject({
      exit: 6,
      stderr: matchText("is a branch, not an avatarops lock"),
    });
    await run("state", "unlock", "--force");
    expect(git(clone, "ls-remote", "origin", "refs/heads/avatarops-locks/production")).toContain(branch);
  });
});
