import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { type Beginning, type Project, type Ran, startProject } from "../cli/hosting.js";

/** A project in git whose base was applied, and a change to it that a stranger proposes. */
export interface Fork extends Project {
  git(...args: string[]): string;
  /** Commits these files as the change; undefined removes one. */
  propose(files: Readonly<Record<string, string | undefined>>): Promise<void>;
  /** `avatarops plan --untrusted --base main` and more. */
  plan(...more: string[]): ReturnType<Project["avatarops"]>;
  /** What was sent to the account but reads, since the base was applied. */
  writes(): string[];
}

/** The base of most tests. */
export const base = {
  "avatarops.yaml": `service: { base_url: !env AVATAROPS_BASE_URL }
contexts:
  desk: { name: Desk, prompt: !file prompts/desk.md }
secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }
`,
  "prompts/desk.md": "You answer politely.\n",
};

export async function startFork(
  files: Readonly<Record<string, string>> = base,
  { environment, ...beginning }: Beginning = {},
): Promise<Fork> {
  const project = await startProject({
    ...beginning,
    files: { ...files, ".gitignore": "*.lock*\n.env\n" },
    environment: { LLM_API_KEY: "the key of the model", PATH: process.env.PATH ?? "", ...environment },
  });
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd: project.folder,
      encoding: "utf8",
      env: {
        PATH: process.env.PATH,
        HOME: project.folder,
        ...{ GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.com" },
        ...{ GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.com" },
      },
      stdio: "pipe",
    });
  const commit = (subject: string) => {
    git("add", "--all", "--force");
    git("commit", "--quiet", "--allow-empty", "--message", subject);
  };
  git("init", "--quiet", "--initial-branch", "main");
  const applied = await project.avatarops("apply", "--auto-approve");
  if (applied.exit !== 0) throw new Error(applied.stdout + applied.stderr);
  rmSync(path.join(project.folder, ".avatarops/cache"), { recursive: true, force: true });
  commit("base");
  git("switch", "--quiet", "--create", "proposal");
  const sent = project.emulator.requests.length;
  return {
    ...project,
    git,
    async propose(changed) {
      for (const [file, text] of Object.entries(changed)) {
        if (text === undefined) rmSync(path.join(project.folder, file), { recursive: true });
        else await project.write(file, text);
      }
      commit("proposal");
    },
    plan: (...more) => project.avatarops("plan", "--untrusted", "--base", "main", ...more),
    writes: () =>
      project.emulator.requests.slice(sent).flatMap(({ method, path }) => (method === "GET" ? [] : [path])),
  };
}

/** It is refused, with this code at this place, in `validate` and in `plan`; nothing is written. */
export async function expectRefused(fork: Fork, code: string, place: string): Promise<Ran> {
  const planned = await fork.plan();
  expect(planned, planned.stdout + planned.stderr).toMatchObject({ exit: 1 });
  expect(planned.stderr).toContain(`error[${code}]`);
  expect(planned.stderr).toContain(place);
  const validated = await fork.avatarops("validate", "--untrusted", "--base", "main", "--format", "json");
  expect(validated.exit).toBe(1);
  const codes = JSON.parse(validated.stdout).diagnostics.map((one: { code: string }) => one.code);
  expect(codes).toContain(code);
  expect(fork.writes()).toEqual([]);
  return planned;
}
