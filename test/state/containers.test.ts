// @module-tag unshare
/** Tests two containers on one machine with the same host name. Each process has its own PID namespace. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findBuilt } from "../built.js";
import { type Project, startProject } from "../cli/hosting.js";

const apply = () => [process.execPath, findBuilt(), "apply", "--auto-approve"];

/** Runs a command in a new PID namespace and kills it after the test. */
function runInContainer({ folder, emulator }: Project, command: readonly string[]) {
  const child = spawn("unshare", ["--pid", "--fork", "--mount-proc", "--kill-child", ...command], {
    cwd: folder,
    env: { PATH: process.env.PATH, AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  return once(child, "close").then(([exit]) => ({ exit, output }));
}

/** Starts a project whose first apply waits forever for the service. `isHeld` returns true once it owns the lock. */
async function startHeld() {
  const files = { "avatarops.yaml": "contexts: { a: { name: A, prompt: One } }\n" };
  const project = await startProject({ files });
  project.emulator.addFault("GET /v1/contexts hang");
  const isHeld = () =>
    project.emulator.requests.length > 0 &&
    existsSync(path.join(project.folder, ".avatarops/state.json.lock"));
  return { project, isHeld };
}

test("respects an apply's lock in another container with the same host name", async () => {
  const { project, isHeld } = await startHeld();
  runInContainer(project, apply());
  await expect.poll(isHeld).toBe(true);
  const second = await runInContainer(project, apply());
  expect(second).toMatchObject({ exit: 6, output: expect.stringContaining("avatarops state unlock") });
  expect(project.emulator.world.contexts).toEqual([]);
});

test("takes over a killed apply's lock in the same container", async () => {
  const { project, isHeld } = await startHeld();
  const script = '"$@" & while [ ! -e kill ]; do sleep 0.1; done; kill -9 $!; wait $!; exec "$@"';
  const ended = runInContainer(project, ["sh", "-c", script, "sh", ...apply()]);
  await expect.poll(isHeld).toBe(true);
  writeFileSync(path.join(project.folder, "kill"), "");
  const { exit, output } = await ended;
  expect(exit, output).toBe(0);
  expect(project.emulator.world.contexts).toMatchObject([{ name: "A" }]);
});
