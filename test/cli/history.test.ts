import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { type Project, startProject } from "./hosting.js";

const manifest = (prompt: string) =>
  `contexts:\n  desk: { name: Desk, prompt: ${JSON.stringify(prompt)}, opening_text: Hi }\n`;

/** Runs git in the project's folder, with nobody's configuration. */
function git(project: Project, ...args: string[]): string {
  const environment = {
    ...{ PATH: process.env.PATH, HOME: project.folder, GIT_CONFIG_NOSYSTEM: "1" },
    ...{ GIT_AUTHOR_NAME: "Mia", GIT_AUTHOR_EMAIL: "mia@example.com" },
    ...{ GIT_COMMITTER_NAME: "Mia", GIT_COMMITTER_EMAIL: "mia@example.com" },
  };
  return execFileSync("git", args, { cwd: project.folder, env: environment, encoding: "utf8" }).trim();
}

/** Commits everything; returns the commit. */
function commit(project: Project): string {
  git(project, "add", "--all", "--", ".", ":!.avatarops");
  git(project, "commit", "--quiet", "--allow-empty", "-m", "Change");
  return git(project, "rev-parse", "HEAD");
}

async function records(
  project: Project,
  state = ".avatarops/state.json",
): Promise<Record<string, unknown>[]> {
  const text = await project.read(`${state}.history`);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function apply(project: Project, ...more: string[]): Promise<void> {
  const applied = await project.avatarops("apply", "-y", ...more);
  expect(applied, applied.stdout + applied.stderr).toMatchObject({ exit: 0 });
}

test("an apply records who did it, where, and from which commit, and nothing if nothing changed", async () => {
  const project = await startProject({ files: { "avatarops.yaml": manifest("Be polite.") } });
  git(project, "init", "--quiet", "-b", "main");
  const first = commit(project);
  const ci = {
    environment: {
      GITHUB_ACTIONS: "true",
      GITHUB_SERVER_URL: "https://x:token@github.example",
      GITHUB_REPOSITORY: "team/avatars",
      GITHUB_RUN_ID: "42",
      GITHUB_ACTOR: "Mia <mia@example.com>",
    },
  };
  expect(await project.avataropsWith(ci, "apply", "-y")).toMatchObject({ exit: 0 });
  await apply(project);
  await project.write("avatarops.yaml", manifest("Be brief."));
  await apply(project);
  expect(await records(project)).toMatchObject([
    {
      ...{ serial: 1, command: "avatarops apply" },
      by: {
        ...{ user: "Mia", host: "test-host", ci: "GitHub Actions" },
        run: "https://github.example/team/avatars/actions/runs/42",
      },
      definitions: { commit: first, modified: false, folder: "", file: "avatarops.yaml" },
      results: [{ address: "context.desk", action: "create", status: "applied", reason: "new" }],
      objects: { "context.desk": { after: { applied: { name: "Desk" } } } },
    },
    {
      serial: 2,
      definitions: { commit: first, modified: true },
      objects: { "context.desk": { before: { applied: { prompt: "Be polite." } } } },
    },
  ]);
});

test("without a repository, and before its first commit, no commit is recorded", async () => {
  const project = await startProject({ files: { "avatarops.yaml": manifest("Be polite.") } });
  await apply(project);
  git(project, "init", "--quiet");
  await project.write("avatarops.yaml", manifest("Be brief."));
  await apply(project);
  expect((await records(project)).map(({ definitions }) => definitions)).toEqual([undefined, undefined]);
});
