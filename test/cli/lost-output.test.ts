import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { expect, test } from "vitest";
import { findBuilt } from "../built.js";
import { type Project, startProject } from "./hosting.js";

const fullDisk = "/dev/full";

/**
 * Runs the built command with stdout or stderr on a full disk. Returns its exit code and the output of the
 * other stream.
 */
async function runLosing(lost: "stdout" | "stderr", { folder, emulator }: Project, ...args: string[]) {
  const full = openSync(fullDisk, "w");
  const child = spawn(process.execPath, [findBuilt(), ...args], {
    cwd: folder,
    env: { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" },
    stdio: ["ignore", lost === "stdout" ? full : "pipe", lost === "stderr" ? full : "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += String(chunk)));
  const [exit] = await once(child, "close");
  return { exit, text };
}

const files = {
  "avatarops.yaml": "contexts: { a: { name: A, prompt: Hi. }, b: { name: B, prompt: Hi. } }\n",
};

test.runIf(existsSync(fullDisk))("fails if the plan output cannot be written", async () => {
  const project = await startProject({ files });
  const failure = { exit: 1, text: "error[output] Cannot write the result to stdout (ENOSPC).\n" };
  expect(await runLosing("stdout", project, "plan")).toEqual(failure);
  expect(await runLosing("stdout", project, "--version")).toEqual(failure);
});

test.runIf(existsSync(fullDisk))("continues an apply if its messages cannot be written", async () => {
  const project = await startProject({ files });
  const { exit, text } = await runLosing("stderr", project, "apply", "-y");
  expect(exit).toBe(0);
  expect(text).toContain("2 applied");
  await project.expectNothingToDo();
});
