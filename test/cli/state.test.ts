import { utimes } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { StateListDocument } from "../../src/output/documents/index.js";
import { comparedWithoutGit, matchText, type Project, startAndApply, startProject } from "./hosting.js";

const formatManifest = (...names: readonly string[]) =>
  ["contexts:", ...names.map((name) => `  ${name}: { name: The ${name}, prompt: Be polite. }`)].join("\n");

/** Starts a project with these contexts applied. */
const startAppliedProject = (...names: readonly string[]) =>
  startAndApply({ files: { "avatarops.yaml": formatManifest(...names) } });

async function listIds(project: Project): Promise<Record<string, string>> {
  const { objects }: StateListDocument = await project.json("state", "list");
  return Object.fromEntries(objects.map(({ address, id }) => [address, id]));
}

/** Returns the lock of a live run on the given host. */
function createLock(command: string, host: string): string {
  return JSON.stringify({
    ...{ id: "b2a4e4b0-4b7e-4a53-8a0c-5b1f5f2a0001", pid: process.pid, host },
    ...{ since: "2026-01-01T00:00:00.000Z", command },
  });
}

describe("state list and show", () => {
  test("report that nothing is managed if there is no state", async () => {
    const project = await startProject({ files: { "avatarops.yaml": formatManifest("one") } });
    expect(await project.avatarops("state", "list")).toEqual({
      exit: 0,
      stdout: "",
      stderr: matchText("Nothing is managed yet"),
    });
    expect(await listIds(project)).toEqual({});
    await project.expectRefused(["state", "show", "context.one"], "Nothing is managed yet");
    expect(project.has(".avatarops")).toBe(false);
  });

  test("show each object with its id while another run owns the lock", async () => {
    const project = await startAppliedProject("one", "two");
    const [one, two] = project.emulator.world.contexts.map(({ id }) => id);
    await project.write(".avatarops/state.json.lock", createLock("avatarops apply", "test-host"));
    expect(await listIds(project)).toEqual({ "context.one": one, "context.two": two });
    const text = await project.avatarops("state", "list");
    expect(text).toMatchObject({ exit: 0, stdout: expect.stringMatching(/context\.one\s+.*The one/) });
    expect(await project.json("state", "show", "context.two")).toMatchObject({
      format: "avatarops/state-object",
      address: "context.two",
      id: two,
      applied: { name: "The two", prompt: "Be polite." },
    });
  });
});

test("accepts a state whose base URL was edited by hand to match the service", async () => {
  const project = await startAppliedProject("one", "two");
  const { url } = project.emulator;
  const moved = url.replace("127.0.0.1", "localhost");
  const environment = { AVATAROPS_BASE_URL: moved };
  const plan = ["plan", "--detailed-exitcode"];
  expect(await project.avataropsWith({ environment }, ...plan)).toMatchObject({
    exit: 1,
    stderr: matchText("error[other-service]"),
  });
  const state = await project.read(".avatarops/state.json");
  await project.write(".avatarops/state.json", state.replace(url, moved));
  expect(await project.avataropsWith({ environment }, ...plan)).toMatchObject({ exit: 0 });
});

describe("state mv", () => {
  test("keeps a renamed object's id", async () => {
    const project = await startAppliedProject("one");
    const before = await listIds(project);
    await project.write("avatarops.yaml", formatManifest("two").replace("The two", "The one"));
    expect(await project.avatarops("state", "mv", "context.one", "context.two")).toEqual({
      exit: 0,
      stdout: "context.one is now context.two.\n",
      stderr: comparedWithoutGit,
    });
    expect(await listIds(project)).toEqual({ "context.two": before["context.one"] });
    await project.expectNothingToDo();
  });

  test("moves an interrupted create, which is then found under the new name", async () => {
    const project = await startProject({ files: { "avatarops.yaml": formatManifest("one") } });
    // The create succeeds, but its response is lost, and the following lookup fails.
    project.emulator.addFault("POST /v1/contexts drop-after");
    project.emulator.addFault("GET /v1/contexts 400 skip=1");
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 4 });
    await project.write("avatarops.yaml", formatManifest("two").replace("The two", "The one"));
    expect(await project.avatarops("state", "mv", "context.one", "context.two")).toMatchObject({ exit: 0 });
    const late = { now: () => Date.now() + 30_000 };
    expect(await project.avataropsWith(late, "apply", "-y")).toMatchObject({ exit: 0 });
    expect(project.emulator.world.contexts).toHaveLength(1);
    expect(Object.keys(await listIds(project))).toEqual(["context.two"]);
    await project.expectNothingToDo();
  });

  test("warns if the new address is not declared", async () => {
    const project = await startAppliedProject("one");
    expect(await project.avatarops("state", "mv", "context.one", "context.two")).toMatchObject({
      exit: 0,
      stderr: matchText("context.two is not declared"),
    });
  });

  test.each([
    ["context.three", "context.four", "no object with the address"],
    ["context.one", "context.two", "context.two is already bound to another object"],
    ["context.one", "context.one", "context.one is already bound to another object"],
    ["context.one", "avatar.one", "Use context.NAME"],
    ["context.one", "context.__proto__", 'The name in "context.__proto__" is invalid'],
    ["context.one", "two", "Use context.NAME"],
  ])("rejects a move of %s to %s", async (from, to, why) => {
    const project = await startAppliedProject("one", "two");
    const before = await project.read(".avatarops/state.json");
    await project.expectRefused(["state", "mv", from, to], why);
    expect(await project.read(".avatarops/state.json")).toBe(before);
    await project.expectNothingToDo();
  });
});

describe("state forget", () => {
  test("waits until an interrupted create can no longer arrive, so that the next apply adopts its object", async () => {
    const project = await startProject({ files: { "avatarops.yaml": formatManifest("one") } });
    const { emulator } = project;
    emulator.addFault("POST /v1/contexts drop-before");
    emulator.addFault("GET /v1/contexts 400 skip=1");
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 4 });
    const waitedMs: number[] = [];
    const sleep = async (ms: number) => {
      waitedMs.push(Math.round(ms / 1_000) * 1_000);
      // The service carries out the create late.
      await fetch(`${emulator.url}/v1/contexts`, {
        method: "POST",
        headers: { "X-API-KEY": "test-key", "content-type": "application/json" },
        body: JSON.stringify({ name: "The one", prompt: "Late.", opening_text: "Hello.", links: [] }),
      });
    };
    expect(await project.avataropsWith({ sleep }, "state", "forget", "context.one")).toMatchObject({
      exit: 0,
      stdout: matchText("Forgot context.one."),
      stderr: matchText("Waiting 30 s: an interrupted run may still be creating context.one."),
    });
    expect(waitedMs).toEqual([30_000]);
    expect(await project.avatarops("apply", "-y", "--overwrite-drift")).toMatchObject({ exit: 0 });
    expect(emulator.world.contexts).toHaveLength(1);
    await project.expectNothingToDo();
  });

  test("stops managing objects and lists those that stay in the account", async () => {
    const project = await startAppliedProject("one", "two", "three");
    const ids = await listIds(project);
    await project.write("avatarops.yaml", formatManifest("one"));
    const result = await project.avatarops("state", "forget", "context.two", "context.three");
    const stays = "The context stays in the account, because the service cannot delete contexts.";
    expect(result).toEqual({
      exit: 0,
      stdout: `Forgot context.two (${ids["context.two"]}). ${stays}\nForgot context.three (${ids["context.three"]}). ${stays}\n`,
      stderr: comparedWithoutGit,
    });
    expect(Object.keys(await listIds(project))).toEqual(["context.one"]);
    expect(project.emulator.world.contexts).toHaveLength(3);
    await project.expectNothingToDo();
  });

  test("reports that a declared object will be adopted again", async () => {
    const project = await startAppliedProject("one");
    const before = await listIds(project);
    expect(await project.avatarops("state", "forget", "context.one")).toMatchObject({
      exit: 0,
      stderr: matchText("the next apply adopts it again"),
    });
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    expect(await listIds(project)).toEqual(before);
    await project.expectNothingToDo();
  });

  test("forgets nothing if one address is unknown", async () => {
    const project = await startAppliedProject("one", "two");
    const result = await project.avatarops("state", "forget", "context.one", "context.tow");
    expect(result).toMatchObject({ exit: 1, stderr: matchText("Did you mean context.two?") });
    expect(Object.keys(await listIds(project))).toEqual(["context.one", "context.two"]);
  });
});

describe("state unlock", () => {
  test("removes another machine's lock and names the owner", async () => {
    const project = await startAppliedProject("one");
    await project.write(".avatarops/state.json.lock", createLock("avatarops apply", "elsewhere"));
    expect(await project.avatarops("state", "forget", "context.one")).toMatchObject({ exit: 6 });
    expect(await project.avatarops("state", "unlock")).toEqual({
      exit: 0,
      stdout: `Removed the lock owned by \`avatarops apply\` (process ${process.pid} on elsewhere, since 2026-01-01T00:00:00.000Z).\n`,
      stderr: comparedWithoutGit,
    });
    expect(await project.avatarops("state", "forget", "context.one")).toMatchObject({ exit: 0 });
  });

  test("keeps a live run's lock unless --force is given", async () => {
    const project = await startAppliedProject("one");
    await project.write(".avatarops/state.json.lock", createLock("avatarops apply", "test-host"));
    expect(await project.avatarops("state", "unlock")).toMatchObject({
      exit: 6,
      stderr: matchText("add --force"),
    });
    expect(project.has(".avatarops/state.json.lock")).toBe(true);
    expect(await project.avatarops("state", "unlock", "--force")).toMatchObject({ exit: 0 });
    expect(project.has(".avatarops/state.json.lock")).toBe(false);
    expect((await project.avatarops("state", "unlock")).stdout).toBe("The state is not locked.\n");
  });

  describe("with an unreadable lock", () => {
    const lock = ".avatarops/state.json.lock";
    const theirs = '{"run":"\u001b[2Jtheirs"}\n';

    async function startHeld() {
      const project = await startAppliedProject("one");
      await project.write(lock, theirs);
      const old = new Date(Date.now() - 60_000);
      await utimes(path.join(project.folder, lock), old, old);
      return project;
    }

    test("removes the lock if the user confirms its content", async () => {
      const project = await startHeld();
      expect(await project.avatarops("apply", "-y")).toMatchObject({
        exit: 6,
        stderr: matchText("is unreadable, because another version of avatarops wrote it"),
      });
      expect(await project.avatarops("apply", "-y", "--lock-timeout", "2s")).toMatchObject({
        stderr: matchText(
          "Waiting, because another run holds the state's lock. The lock's content cannot be read.",
        ),
      });
      const { exit, stdout, stderr } = await project.avataropsWith({ typed: "yes\n" }, "state", "unlock");
      expect([exit, stdout]).toEqual([
        0,
        `The state is unlocked. ${path.join(project.folder, lock)} no longer blocks other runs.\n`,
      ]);
      expect(stderr).toMatch(
        /cannot\s+be\s+read\s+as\s+a\s+lock\.\s+It\s+contains:\s+\{"run":"‹U\+001B›\[2Jtheirs"\}⏎/,
      );
      expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    });

    test("keeps the lock if the user declines or cannot be asked", async () => {
      const project = await startHeld();
      expect(await project.avataropsWith({ typed: "y\n" }, "state", "unlock")).toMatchObject({
        exit: 130,
        stderr: matchText("Nothing was removed."),
      });
      for (const argv of [
        ["state", "unlock"],
        ["state", "unlock", "--force"],
      ]) {
        const next = ["avatarops", "state", "unlock", "--auto-approve", ...argv.slice(2)].join(" ");
        expect(await project.avatarops(...argv)).toMatchObject({
          exit: 7,
          stdout: "",
          stderr: matchText(next),
        });
      }
      expect(await project.read(lock)).toBe(theirs);
    });

    test("removes the lock without asking with --auto-approve", async () => {
      const project = await startHeld();
      expect(await project.avatarops("state", "unlock", "-y")).toMatchObject({
        exit: 0,
        stderr: matchText("It contains:"),
      });
      expect(project.has(lock)).toBe(false);
    });

    test("is recommended by plan and status", async () => {
      const project = await startHeld();
      expect(await project.avatarops("plan")).toMatchObject({
        exit: 0,
        stderr: matchText("state.json.lock cannot be read, so an apply may be running."),
      });
      // The path of a temporary folder may be longer than a line.
      expect((await project.avataropsWith({ columns: 1_000 }, "status")).stdout).toMatch(
        /locked\s.*state\.json\.lock cannot be read/,
      );
      expect(await project.json("status")).toMatchObject({
        unreadable_lock: path.join(project.folder, lock),
      });
    });
  });
});
