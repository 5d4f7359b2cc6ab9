// @module-tag night
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder } from "../cli/hosting.js";
import { start } from "../recovery/child.js";

/** Definitions run in the command's process, but must not make a failed command look successful to a pipeline. */

const head = 'import { Context, Project } from "avatarops";\nconst project = new Project();\n';
const tail = 'new Context(project, "desk", { name: "Desk", prompt: "Hi" });\nexport default project;\n';

async function runValidate(definition: string, ...args: string[]) {
  const folder = await newFolder();
  await writeFile(path.join(folder, "avatarops.config.ts"), `${head}${definition}\n${tail}`);
  return start(folder, ["validate", ...args], {}).ended;
}

describe("TypeScript definition", () => {
  test("adds nothing to the command's output if it has no side effects", async () => {
    expect(await runValidate("")).toMatchObject({ exit: 0, stderr: "Valid: 1 object in 1 file.\n" });
  });

  test.each([
    ["ends the process", "process.exit();"],
    ["ends the process with exit code 0", "process.exit(0);"],
    ["awaits a promise that never settles", "await new Promise(() => {});"],
  ])("fails the command with an error if the code %s", async (_name, definition) => {
    const { exit, stderr } = await runValidate(definition);
    expect(exit).toBe(1);
    expect(stderr).toContain("ended before its work was done");
  });

  test("does not keep the command running with a timer", async () => {
    expect(await runValidate("setInterval(() => {}, 1_000);")).toMatchObject({ exit: 0 });
  });

  test.each([
    ["rejects", 'Promise.reject(new Error("left alone"));'],
    [
      "throws later",
      'setTimeout(() => { throw new Error("left alone"); }, 1); await new Promise((ok) => setTimeout(ok, 50));',
    ],
  ])("fails the command only after it finishes if background code %s", async (_name, definition) => {
    const { exit, stderr } = await runValidate(definition);
    expect(exit).toBe(1);
    expect(stderr).toContain("Valid: 1 object");
    expect(stderr).toContain("left alone");
  });
});
