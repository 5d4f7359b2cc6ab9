// @module-tag ci
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { execute } from "./installing.js";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
/** package.json scripts by name. Build scripts take no arguments, and `scripts/test.ts` passes arguments to Vitest. */
const files = Object.entries(scripts).flatMap(([name, command]) => {
  const [, file] = /^(?:node scripts\/install-missing\.mjs && )?tsx (\S+\.ts)$/.exec(command) ?? [];
  return file && name !== "build" && file !== "scripts/test.ts" ? [[name, file] as const] : [];
});

test.each(files)("npm run %s prints one line of usage for an unknown option", async (name, file) => {
  const { exit, stdout, stderr } = await execute(
    process.execPath,
    ["--import", "tsx", file, "--no-such-option"],
    {
      cwd: process.cwd(),
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
    },
  );
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
  expect(stderr).toMatch(/^Unknown option '--no-such-option'\. Usage: npm run \S+/);
  expect(stderr).toContain(`Usage: npm run ${name}`);
  expect(stderr.trim().split("\n").length).toBe(1);
});
