/** The state cannot be used, or somebody else is using it: the account is left alone, and the message says what to do. */
import { rm } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Project, type Ran, startApplied, startProject } from "../cli/hosting.js";
import { applied, contextNames, planInShort, tell, tellWith } from "./telling.js";

const manifest = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";
const more = `${manifest}  shop: { name: Shop, prompt: Be brief. }\n`;

/** One context applied, and one more asked for. */
async function startTwo(): Promise<Project> {
  const project = await startApplied({ files: { "avatarops.yaml": manifest } });
  await project.write("avatarops.yaml", more);
  return project;
}

describe("a state that is lost", () => {
  it("costs nothing that can be found by name", async () => {
    const project = await startTwo();
    await rm(path.join(project.folder, ".avatarops"), { recursive: true });
    expect(await planInShort(project)).toMatchObject({
      wants: ["adopt context.desk found", "create context.shop new"],
    });
    await applied(project);
    expect(contextNames(project)).toEqual(["Desk", "Shop"]);
    await project.expectNothingToDo();
  });
});

it.each([
  ["notes.txt/state.json", "a part of its path is a file, not a folder. Correct `state:` in the manifest."],
  [
    "notes",
    "it is not a regular file. Remove it, or name another file (`state:` in the manifest, or `--out`).",
  ],
])("a state that cannot be written, %s, stops the apply before the first request", async (state, says) => {
  const files = { "avatarops.yaml": `state: ${state}\n${manifest}`, "notes.txt": "", "notes/one.txt": "" };
  const project = await startProject({ files });
  const ran = await tell(project, "apply", "--auto-approve");
  expect(ran).toMatchObject({ exit: 1, stdout: "", stderr: expect.stringContaining(says) });
  expect(project.emulator.requests).toEqual([]);
});

describe("a state on a server", () => {
  // No name server needs to be asked: a part of a name has at most 63 characters.
  const nowhere = `${"x".repeat(64)}.example`;
  const environment = { PGPASSWORD: "pass" };
  beforeEach(() => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "id");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "key");
  });
  afterEach(() => void vi.unstubAllEnvs());

  const places = (host: string) => [
    `http://${host}/state`,
    `postgres://ada@${host}/data?name=a`,
    `s3://bucket/state.json?region=eu-central-1&endpoint=http://${host}`,
  ];

  it.each(places(nowhere))("that does not exist is told at once: %s", async (state) => {
    const project = await startProject({ files: { "avatarops.yaml": `state: ${state}\n${manifest}` } });
    const ran = await tellWith(project, { environment, waits: { storeMs: 600_000 } }, "plan");
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    expect(ran.stderr).toContain("error[unreachable]");
    expect(ran.stderr).not.toContain("trying again");
  });

  it.each(places("127.0.0.1:1"))("that refuses the first connection is told soon: %s", async (state) => {
    const project = await startProject({ files: { "avatarops.yaml": `state: ${state}\n${manifest}` } });
    const ran = await tellWith(project, { environment, waits: { storeMs: 6_000 } }, "plan");
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    expect(ran.stderr).toContain("The state does not answer: trying again for up to 1 s.");
    expect(ran.stderr).toContain("error[unreachable]");
  });
});

describe("a state that is locked", () => {
  /** Holds an apply at its first POST, while `meanwhile` is done. */
  async function during(project: Project, meanwhile: () => Promise<void>): Promise<Ran> {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let arrived = () => {};
    const atWork = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    project.emulator.addFault({
      match: { method: "POST" },
      do: {
        kind: "run",
        run: () => {
          arrived();
          return held;
        },
      },
    });
    const first = tell(project, "apply", "--auto-approve");
    await atWork;
    try {
      await meanwhile();
    } finally {
      letGo();
    }
    return first;
  }

  it("is not touched by a second command, which exits with 6 and says who is at work", async () => {
    const project = await startTwo();
    const first = await during(project, async () => {
      const second = await tell(project, "apply", "--auto-approve");
      expect(second).toMatchObject({ exit: 6, stdout: "" });
      expect(second.stderr).toMatch(
        /^error\[locked\] The state is locked by `avatarops apply` \(process \d+ on test-host, since \S+\): \S+\. Wait until it has ended, and run the command again\.\n$/,
      );
      const asJson = await tell(project, "apply", "--auto-approve", "--format", "json");
      expect(asJson).toMatchObject({ exit: 6, stderr: "" });
      expect(JSON.parse(asJson.stdout)).toMatchObject({ format: "avatarops/error", code: "locked" });
      const planned = await tell(project, "plan");
      expect(planned.exit).toBe(0);
      expect(planned.stderr + planned.stdout).toContain("locked by");
    });
    expect(first).toMatchObject({ exit: 0 });
    expect(contextNames(project)).toEqual(["Desk", "Shop"]);
    await project.expectNothingToDo();
  });

  it("is waited for with --lock-timeout, and the second apply finds nothing left to do", async () => {
    const project = await startTwo();
    let second: Promise<Ran> | undefined;
    const first = await during(project, async () => {
      second = tell(project, "apply", "--auto-approve", "--lock-timeout", "30s");
      // Long enough that it has found the lock; it would wait for half a minute.
      await new Promise((resolve) => setTimeout(resolve, 200));
    });
    expect(first).toMatchObject({ exit: 0 });
    const waited = await second;
    expect(waited).toMatchObject({ exit: 0 });
    expect(waited?.stderr).toContain("Waiting: the state is locked by `avatarops apply`, since ");
    expect(waited?.stdout).toContain("Nothing to do");
    expect(contextNames(project)).toEqual(["Desk", "Shop"]);
    await project.expectNothingToDo();
  });
});
