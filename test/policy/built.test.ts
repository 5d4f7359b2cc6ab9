import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findBuilt } from "../built.js";
import { newFolder } from "../cli/hosting.js";
import { execute } from "../installing.js";

/* The built command is one file of CommonJS, to which packages and threads are something else than to its source. */

test("the built command detects languages, and says what to install where that is missing", async () => {
  const folder = await newFolder();
  const manifest = `policies: { opening-languages: { languages: [en] } }
contexts: { a: { name: A, prompt: Hi, opening_text: "Bonjour, comment puis-je vous aider ?" } }
`;
  writeFileSync(path.join(folder, "avatarops.yaml"), manifest);
  const validate = (program: string) =>
    execute(process.execPath, [program, "validate"], { cwd: folder, env: { HOME: folder } });
  const found = await validate(findBuilt());
  expect(found).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("warning[opening-languages]") as string,
  });
  // Elsewhere it finds no packages beside it.
  const elsewhere = path.join(folder, "elsewhere");
  mkdirSync(elsewhere);
  cpSync("package.json", path.join(elsewhere, "package.json"));
  cpSync(findBuilt("cli"), path.join(elsewhere, "dist/cli"), { recursive: true });
  const { exit, stdout, stderr } = await validate(path.join(elsewhere, "dist/cli/main.js"));
  expect(exit).toBe(1);
  expect(stdout + stderr).toContain("error[missing-package]");
  expect(stdout + stderr).toMatch(/npm\s+install\s[^`]*eld/);
});
