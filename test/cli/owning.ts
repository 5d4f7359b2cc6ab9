/** Creates projects in git repositories for tests of states that belong to another project. */
import { cpSync, mkdirSync } from "node:fs";
import path from "node:path";
import { listWrites } from "../failures/commands.js";
import { newRemote } from "../state/git-servers.js";
import { startCalledProject } from "./calls.js";
import { type Project, startProject } from "./hosting.js";
import { commit, git } from "./in-git.js";

/** State setting with a git ref that all clones share. */
export const shared = "state: git+refs://origin/avatarops/production\n";

export const formatContexts = (...names: readonly string[]): string =>
  `contexts:\n${names.map((name) => `  ${name}: { name: ${name}, prompt: Be polite. }\n`).join("")}`;

/** Options that select the project in a repository folder. */
export const selectProject = (folder: string): string[] => ["--file", `${folder}/avatarops.yaml`];

/** Creates a repository with these files and a remote. */
export async function createGitProject(files: Readonly<Record<string, string>>): Promise<Project> {
  const project = await startProject({ files, emulator: { profile: "liveavatar" } });
  git(project, "init", "--quiet", "-b", "main");
  git(project, "remote", "add", "origin", newRemote().url);
  commit(project);
  git(project, "push", "--quiet", "origin", "main");
  return project;
}

export const readRecordedProject = async (project: Project, file = ".avatarops/state.json") =>
  JSON.parse(await project.read(file)).project;

export const readAccount = ({ emulator }: Project): Record<string, string> => ({
  ...{ AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" },
});

/** Creates an applied project in a repository and copies it with its state to `copy`. `run` works in the copy. */
export async function startCopiedProject() {
  const project = await startCalledProject();
  git(project, "init", "--quiet", "-b", "main");
  await project.expectDone("apply", "-y");
  const cwd = path.join(project.folder, "copy");
  mkdirSync(cwd);
  for (const name of ["avatarops.yaml", ".avatarops"])
    cpSync(path.join(project.folder, name), path.join(cwd, name), { recursive: true });
  return {
    ...{ project, cwd },
    run: (...argv: string[]) => project.avataropsWith({ cwd }, ...argv),
    /** Returns the writes, state, history and lock, which must not change. */
    look: async () => [
      listWrites(project),
      await project.read("copy/.avatarops/state.json"),
      await project.read("copy/.avatarops/state.json.history"),
      project.has("copy/.avatarops/state.json.lock"),
    ],
  };
}
