// @module-tag ci
/** Tests `npm run dev` in a small repository. */
import { spawn } from "node:child_process";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newFolder } from "./cli/hosting.js";
import { commitAll, git, write } from "./git/repositories.js";

const tsx = path.resolve("node_modules/tsx/dist/cli.mjs");
const script = path.resolve("scripts/test.ts");

test("runs the affected tests after each change with npm run dev, and prints a line for each change", async () => {
  const folder = await newFolder();
  git(folder, "init", "--quiet");
  write(folder, ".gitignore", "node_modules\n");
  write(folder, "package.json", '{ "type": "module" }');
  write(folder, "vitest.config.ts", 'export default { test: { tags: [{ name: "night" }] } };\n');
  write(folder, "src/first.ts", "export const first = 1;\n");
  write(folder, "src/index.ts", 'export { first } from "./first.js";\n');
  const formatTest = (name: string, from: string) =>
    `import { expect, test } from "vitest";\nimport { ${name} } from "../src/${from}.js";\ntest("${name}", () => expect(${name}).toBe(1));\n`;
  write(folder, "test/first.test.ts", formatTest("first", "index"));
  write(folder, "src/second.ts", "export const second = 1;\n");
  write(folder, "test/second.test.ts", formatTest("second", "second"));
  commitAll(folder);
  symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));

  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [tsx, script, "--watch"], {
    cwd: folder,
    env: { PATH, HOME, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  // Also ends the tsx and Vitest processes, which are in the same group.
  onTestFinished(() => void process.kill(-Number(child.pid), "SIGKILL"));
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part) => {
      text += part;
    });
  const see = (line: string) => expect.poll(() => text).toContain(line);

  await see(" uncommitted changes: no test files affected.\n");
  // No test has loaded this file, so Vitest's own watch mode would ignore the change.
  write(folder, "src/first.ts", "export const first = 2;\n");
  await see(" src/first.ts changed: 1 test file affected.\n");
  await see("test/first.test.ts > first");
  await see("Tests  1 failed (1)");
  write(folder, "src/first.ts", "export const first = 0 + 1;\n");
  await see("Tests  1 passed (1)");
  expect(text).not.toContain("test/second.test.ts");
});
