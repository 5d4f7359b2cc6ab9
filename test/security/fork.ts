import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import {
  type CommandResult,
  newFolder,
  type Project,
  type ProjectSetup,
  startAndApply,
} from "../cli/hosting.js";
import { commitAll, git } from "../git/repositories.js";

/** An applied project in git, and a stranger's change to it. */
export interface Fork extends Project {
  git(...args: string[]): string;
  /** Commits these files as the change. Undefined removes a file. */
  propose(files: Readonly<Record<string, string | undefined>>): Promise<void>;
  /** Commits to the base and restarts the change from there. */
  proposeToBase(files: Readonly<Record<string, string | undefined>>): Promise<void>;
  /** Runs `avatarops plan --untrusted --base main` with more options. */
  plan(...more: string[]): ReturnType<Project["avatarops"]>;
  /** Runs the same command with additional environment variables. */
  planWith(
    environment: Readonly<Record<string, string>>,
    ...more: string[]
  ): ReturnType<Project["avatarops"]>;
  /** Returns the writes to the account since the base was applied. */
  writes(): string[];
}

export const formatSecret = (name: string, value: string) =>
  `  ${name}: { secret_name: ${name}, secret_type: LLMPROVIDER_API_KEY, secret_value: ${value} }\n`;

/** Base files in most tests. */
export const base = {
  "avatarops.yaml": `service: { base_url: !env AVATAROPS_BASE_URL }
contexts:
  desk: { name: Desk, prompt: !file prompts/desk.md }
secrets:
${formatSecret("llm", "!env LLM_API_KEY")}`,
  "prompts/desk.md": "You answer politely.\n",
};

export const manifest = base["avatarops.yaml"];

const untrusted = ["--untrusted", "--base", "main"];

export async function startFork(
  files: Readonly<Record<string, string>> = base,
  { environment, ...setup }: ProjectSetup = {},
): Promise<Fork> {
  const project = await startAndApply({
    ...setup,
    files: { ...files, ".gitignore": "*.lock*\n.env\n" },
    environment: { LLM_API_KEY: "the key of the model", PATH: process.env.PATH ?? "", ...environment },
  });
  const { folder, emulator } = project;
  const inFolder = (...args: string[]) => git(folder, ...args);
  inFolder("init", "--quiet", "--initial-branch=main");
  commitAll(folder);
  inFolder("switch", "--quiet", "--create=proposal");
  const sent = emulator.requests.length;
  const fork: Fork = {
    ...project,
    git: inFolder,
    async propose(changed) {
      for (const [file, text] of Object.entries(changed)) {
        if (text === undefined) rmSync(path.join(folder, file), { recursive: true });
        else await project.write(file, text);
      }
      commitAll(folder);
    },
    async proposeToBase(changed) {
      inFolder("switch", "--quiet", "main");
      await fork.propose(changed);
      inFolder("switch", "--quiet", "--force-create=proposal");
    },
    plan: (...more) => project.avatarops("plan", ...untrusted, ...more),
    planWith: (more, ...argv) => project.avataropsWith({ environment: more }, "plan", ...untrusted, ...argv),
    writes: () => emulator.requests.slice(sent).flatMap((one) => (one.method === "GET" ? [] : [one.path])),
  };
  return fork;
}

/** Expects a change with these files to be rejected with this error code and location, without writes. */
export async function expectRejection(
  fork: Fork,
  files: Parameters<Fork["propose"]>[0],
  code: string,
  location: string,
): Promise<CommandResult> {
  await fork.propose(files);
  const planned = await fork.plan();
  expect(planned, planned.stdout + planned.stderr).toMatchObject({ exit: 1 });
  expect(planned.stderr).toContain(`error[${code}]`);
  expect(planned.stderr).toContain(location);
  expect(fork.writes()).toEqual([]);
  return planned;
}

/** Returns a command that creates a file when it runs. */
export async function newTrace() {
  const file = path.join(await newFolder(), "ran");
  return { file, command: `!exec [touch, ${file}]`, isThere: () => existsSync(file) };
}
