import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** Creates a temporary folder for one test. */
export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "avatarops-git-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns environment variables for git in tests, without the machine's settings. */
export function createGitEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.com",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.com",
  };
}

/** Runs git like a user, to prepare and inspect repositories. */
export function git(folder: string, ...args: string[]): string {
  return runProgram(folder, "git", ...args);
}

/** Settings that prevent maintenance from running after a test. */
const noMaintenance = {
  ...{ GIT_CONFIG_COUNT: "2", GIT_CONFIG_KEY_0: "maintenance.auto", GIT_CONFIG_VALUE_0: "false" },
  ...{ GIT_CONFIG_KEY_1: "gc.auto", GIT_CONFIG_VALUE_1: "0" },
};

function runProgram(folder: string, program: string, ...args: string[]): string {
  return execFileSync(program, args, {
    cwd: folder,
    env: { ...createGitEnvironment(folder), ...noMaintenance },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    // Ends a git call that hangs because it blocks a server in the same process.
    timeout: 120_000,
  }).trim();
}

/** Commits all files in a folder and returns the commit. */
export function commitAll(folder: string, message = "Change"): string {
  // Starts one shell instead of three programs, because starting a program copies the page tables of the test process.
  const commands = 'git add --all; git commit --quiet --allow-empty --message="$1"; git rev-parse HEAD';
  return runProgram(folder, "sh", "-ec", commands, "sh", message);
}

/** Writes files into a clone, commits them and returns the commit. */
export function commitFiles(folder: string, files: Readonly<Record<string, string>>, message?: string) {
  for (const [file, text] of Object.entries(files)) write(folder, file, text);
  return commitAll(folder, message);
}

/** Creates a repository with one commit on `main`. */
export function newRepository(files: Readonly<Record<string, string>> = { "a.txt": "one\n" }): string {
  const folder = newFolder();
  git(folder, "init", "--quiet", "--initial-branch=main");
  commitFiles(folder, files);
  return folder;
}

export function write(folder: string, file: string, text: string, mode?: number): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text, { mode });
}
