/** Checks that output from TypeScript definitions does not mix with command results. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../cli/hosting.js";
import { start } from "../recovery/child.js";

test.each([
  'console.log("hello");',
  'process.stdout.write("hello\\n");',
  'writeSync(1, "hello\\n");',
  'fs.writeFileSync("/dev/stdout", "hello\\n");',
  'fs.appendFileSync("/proc/self/fd/1", "hello\\n");',
  'await promisify(fs.writeFile)("/dev/fd/1", "hello\\n");',
  'await pipeline(["hello\\n"], process.stdout, { end: false });',
])("keeps stdout a single JSON document if a definition prints with %s", async (print) => {
  const folder = await newFolder();
  const definition = `import fs, { writeSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { Context, Project } from "avatarops";
${print}
const project = new Project();
new Context(project, "desk", { name: "Desk", prompt: "Hi" });
export default project;
`;
  await writeFile(path.join(folder, "avatarops.config.ts"), definition);
  const { exit, stdout, stderr } = await start(folder, ["validate", "--format", "json"], {}).ended;
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ valid: true });
  expect(stderr).toContain("hello");
});
