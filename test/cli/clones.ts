import path from "node:path";
import { commitFiles, createGitEnvironment, git, newFolder } from "../git/repositories.js";
import { newClone, newRemote, type Remote } from "../state/git-servers.js";
import {
  type CommandResult,
  createStopper,
  expectSuccess,
  type Project,
  type ProjectSetup,
  runIn,
  startProject,
} from "./hosting.js";

/** Clone on a colleague's laptop or in a CI job. */
export interface Clone {
  readonly root: string;
  /** Path to the project folder in the clone. */
  readonly inProject: string;
  git(...args: string[]): string;
  /** Commits project files and returns the commit id. */
  commit(files: Readonly<Record<string, string>>, message?: string): string;
  /** Pushes HEAD, by default to `main`. */
  push(ref?: string): void;
  /** Runs avatarops in the project's folder. */
  run(...argv: string[]): Promise<CommandResult>;
  /** Runs avatarops with additional environment variables. */
  runWith(environment: Readonly<Record<string, string>>, ...argv: string[]): Promise<CommandResult>;
  /** Applies and expects success. */
  apply(...argv: string[]): Promise<CommandResult>;
}

/** An account and a bare repository whose clones share a project. */
export interface Clones {
  readonly emulator: Project["emulator"];
  readonly remote: Remote;
  readonly environment: Readonly<Record<string, string>>;
  clone(who?: string, ...options: string[]): Clone;
  /** Clone that made the first commit. */
  readonly first: Clone;
}

export async function startClones(
  files: Readonly<Record<string, string>>,
  {
    folder = ".",
    environment: more = {},
    ...account
  }: { folder?: string; environment?: Record<string, string> } & Pick<
    ProjectSetup,
    "world" | "emulator"
  > = {},
): Promise<Clones> {
  const { emulator } = await startProject(account);
  const remote = newRemote();
  const environment = {
    ...{
      ...createGitEnvironment(newFolder()),
      AVATAROPS_BASE_URL: emulator.url,
      AVATAROPS_API_KEY: "test-key",
    },
    ...more,
  };
  const clone = (who = "Ada", ...options: string[]): Clone => {
    const root = newClone(remote.url, ...options);
    const inProject = path.join(root, folder);
    const own = { ...environment, GIT_AUTHOR_NAME: who };
    const runWith: Clone["runWith"] = (given, ...argv) => {
      const { stop, onStoppable } = createStopper();
      return runIn(inProject, argv, {
        ...{ environment: { ...own, ...given }, hostname: root },
        onStoppable,
        // Stops `sync` after one cycle.
        pause: async () => stop("SIGTERM"),
      });
    };
    const run: Clone["run"] = (...argv) => runWith({}, ...argv);
    return {
      ...{ root, inProject, run, runWith },
      git: (...args) => git(root, ...args),
      commit: (changed, message) => commitFiles(inProject, changed, message),
      push: (ref = "refs/heads/main") => git(root, "push", "--quiet", "origin", `HEAD:${ref}`),
      apply: (...argv) => expectSuccess(run("apply", "--auto-approve", ...argv)),
    };
  };
  const first = clone("Ana");
  first.commit(files);
  first.push();
  return { emulator, remote, environment, clone, first };
}
