import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { type Beginning, newFolder, type Project, type Ran, startApplied } from "../cli/hosting.js";
import { commitAll, git } from "../git/repositories.js";

/** A project in git whose base was applied, and a change to it that a stranger proposes. */
export interface Fork extends Project {
  git(...args: string[]): string;
  /** Commits these files as the change; undefined removes one. */
  propose(files: Readonly<Record<string, string | undefined>>): Promise<void>;
  /** Commits to the base, from which the change begins anew. */
  proposeToBase(files: Readonly<Record<string, string | undefined>>): Promise<void>;
  /** `avatarops plan --untrusted --base main` and more. */
  plan(...more: string[]): ReturnType<Project["avatarops"]>;
  /** The same with more environment. */
  planWith(
    environment: Readonly<Record<string, string>>,
    ...more: string[]
  ): ReturnType<Project["avatarops"]>;
  /** What was sent to the account but reads, since the base was applied. */
  writes(): string[];
}

export const secret = (name: string, value: string) =>
  `  ${name}: { secret_name: ${name}, secret_type: LLMPROVIDER_API_KEY, secret_value: ${value} }\n`;

/** The base of most tests. */
export const base = {
  "avatarops.yaml": `service: { base_url: !env AVATAROPS_BASE_URL }
contexts:
  desk: { name: Desk, prompt: !file prompts/desk.md }
secrets:
${secret("llm", "!env LLM_API_KEY")}`,
  "prompts/desk.md": "You answer politely.\n",
};

export const manifest = base["avatarops.yaml"];

const untrusted = ["--untrusted", "--base", "main"];

export async function startFork(
  files: Readonly<Record<string, string>> = base,
  { environment, ...beginning }: Beginning = {},
): Promise<Fork> {
  const project = await startApplied({
    ...beginning,
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

/** These files are refused as a change, with this code at this place; nothing is written. */
export async function expectRefused(
  fork: Fork,
  files: Parameters<Fork["propose"]>[0],
  code: string,
  place: string,
): Promise<Ran> {
  await fork.propose(files);
  const planned = await fork.plan();
  expect(planned, planned.stdout + planned.stderr).toMatchObject({ exit: 1 });
  expect(planned.stderr).toContain(`error[${code}]`);
  expect(planned.stderr).toContain(place);
  expect(fork.writes()).toEqual([]);
  return planned;
}

/** What shows that a program of the author was run: a file that this command makes. */
export async function newTrace() {
  const file = path.join(await newFolder(), "ran");
  return { file, command: `!exec [touch, ${file}]`, isThere: () => existsSync(file) };
}
