import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";

/** Reads a walkthrough from a second-level section of a page. */
export function readWalkthrough(page: string, title: string): string {
  const sections = readFileSync(page, "utf8").split(/^## /m);
  const found = sections.find((section) => section.startsWith(`${title}\n`));
  if (found === undefined) throw new Error(`${page} has no section "${title}"`);
  return found;
}

/** Folders that git ignores and the tests do not rebuild. */
export const installed = ["node_modules", "dist", "tools/cdktf/node_modules"];

/** Copies all files that git does not ignore, and symlinks the last build and the installed packages. */
export function copyRepository() {
  const folder = mkdtempSync(path.join(tmpdir(), "avatarops-walkthrough-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter(Boolean)) cpSync(file, path.join(folder, file));
  for (const name of installed) symlinkSync(path.resolve(name), path.join(folder, name));
  const run = async (line: string, more: Readonly<Record<string, string>> = {}) => {
    const [command = "", ...words] = line.split(" ");
    const options = { cwd: folder, maxBuffer: 2 ** 26, env: { ...process.env, ...more } };
    const ran = await promisify(execFile)(command, words, options).catch(
      (error: { stdout?: string; stderr?: string }) => ({ failed: line, ...error }),
    );
    expect("failed" in ran ? `${ran.failed}\n${ran.stdout}\n${ran.stderr}` : "").toBe("");
  };
  return { folder, run };
}

/** Writes each code block to the file named before it and applies each diff. Returns the files. */
export function follow(text: string, folder: string): string[] {
  const touched = new Set<string>();
  let file = "";
  for (const [, prose = "", language, code = ""] of text.matchAll(/(.*?)^```(\w+)\n(.*?)^```$/gms)) {
    file = [...prose.matchAll(/`((?:src|test|docs)\/[\w/.-]+\.(?:ts|md))`/g)].at(-1)?.[1] ?? file;
    if (language === "sh") continue;
    touched.add(file);
    const target = path.join(folder, file);
    writeFileSync(target, language === "diff" ? applyDiff(readFileSync(target, "utf8"), code) : code);
  }
  return [...touched];
}

/** Applies a diff whose context lines must exist exactly once. */
function applyDiff(text: string, diff: string): string {
  const lines = diff.split("\n").slice(0, -1);
  const side = (mark: string) =>
    lines.filter((line) => line.startsWith(" ") || line.startsWith(mark)).map((line) => `${line.slice(1)}\n`);
  const before = side("-").join("");
  expect(text.split(before)).toHaveLength(2);
  return text.replace(before, () => side("+").join(""));
}
