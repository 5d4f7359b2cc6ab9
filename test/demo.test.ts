import { execFile } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { findBuilt } from "./built.js";
import { newFolder } from "./cli/hosting.js";

const root = path.resolve(import.meta.dirname, "..");

test("stops the demo and its emulator without an error if the reader of its output exits early", async () => {
  const program = path.join(await newFolder(), "avatarops");
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${findBuilt()}" "$@"\n`);
  await chmod(program, 0o755);
  const demo = `"${process.execPath}" --import "${import.meta.resolve("tsx")}" "${root}/scripts/demo.ts"`;
  const script = `${demo} "${program}" | head -n 3; echo "exit \${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await promisify(execFile)("bash", ["-c", script]);
  const [, url = ""] = /(http:\/\/\S+)/.exec(stdout) ?? [];
  expect(stdout).toContain("exit 0");
  expect(stderr).not.toMatch(/The demo failed|EPIPE/);
  await expect(fetch(`${url}/v1/contexts`)).rejects.toThrow();
});
