// @module-tag night
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder } from "../cli/hosting.js";
import { start } from "../recovery/child.js";

/*
 * Definitions are code in the command's process. Whatever they do to it, a pipeline must not take it for success.
 */

const head = 'import { Context, Project } from "avatarops";\nconst project = new Project();\n';
const tail = 'new Context(project, "desk", { name: "Desk", prompt: "Hi" });\nexport default project;\n';

async function validated(definition: string, ...args: string[]) {
  const folder = await newFolder();
  await writeFile(path.join(folder, "avatarops.config.ts"), `${head}${definition}\n${tail}`);
  return start(folder, ["validate", ...args], {}).ended;
}

describe("a definition that", () => {
  test("is as it should be leaves the command as it is", async () => {
    expect(await validated("")).toMatchObject({ exit: 0, stderr: "Valid: 1 object in 1 file.\n" });
  });

  test.each([
    ["ends the process", "process.exit();"],
    ["ends it as a success", "process.exit(0);"],
    ["awaits what never comes", "await new Promise(() => {});"],
  ])("%s is a failure, and is told", async (_name, definition) => {
    const { exit, stderr } = await validated(definition);
    expect(exit).toBe(1);
    expect(stderr).toContain("ended before its work was done");
  });

  test("leaves a timer running does not keep the command from ending", async () => {
    expect(await validated("setInterval(() => {}, 1_000);")).toMatchObject({ exit: 0 });
  });

  test.each([
    ["rejects", 'Promise.reject(new Error("left alone"));'],
    [
      "throws later",
      'setTimeout(() => { throw new Error("left alone"); }, 1); await new Promise((ok) => setTimeout(ok, 50));',
    ],
  ])("leaves something running that %s lets the command go on, as a failure", async (_name, definition) => {
    const { exit, stderr } = await validated(definition);
    expect(exit).toBe(1);
    expect(stderr).toContain("Valid: 1 object");
    expect(stderr).toContain("left alone");
  });
});
