import { existsSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { GitError } from "./git-error.js";
import { isCommitId, sanitizeText } from "./names.js";
import { type Git, type GitOptions, openGit } from "./program.js";

/*
 * Git accepts any folder with the layout of a git folder as a repository. A commit can contain such a folder, with
 * settings that run programs. So git gets the repository explicitly, from the nearest `.git`, which cannot be
 * committed.
 */

/** Repository that contains a folder. */
export interface Repository extends Git {
  /** Absolute path to the `.git` folder of the repository or of this worktree. */
  readonly gitFolder: string;
  /**
   * Absolute path to the folder with the objects and the configuration. Worktrees share the main repository's folder.
   */
  readonly commonFolder: string;
  /** Working tree root. */
  readonly root: string;
  /** Folder path in the repository, separated by `/` and without a trailing `/`. "" at the root. */
  readonly prefix: string;
  /** Environment variables that make later git processes use this repository. See {@link GitOptions}. */
  readonly variables: Readonly<Record<string, string>>;
  /** Returns the id of the checked-out commit, or undefined before the first commit. */
  readHead(): Promise<string | undefined>;
}

/**
 * Opens the repository whose working tree contains a folder.
 *
 * @throws GitError `not-a-repository` if no folder around it has a `.git`; `damaged`, `dubious-ownership`, `no-folder`,
 * `git-missing`, `git-too-old`
 */
export async function openRepository(options: GitOptions): Promise<Repository> {
  const folder = await realpath(options.folder).catch(() => {
    throw new GitError("no-folder", "git rev-parse", `The folder ${options.folder} does not exist.`);
  });
  const root = findWorkingTree(folder);
  if (root === undefined) throw createNotARepositoryError(options.folder);
  const [gitFolder, commonFolder] = await findFolders(root, options);
  const variables = { GIT_DIR: gitFolder, GIT_WORK_TREE: root };
  const git = await openGit({ ...options, variables: { ...variables, ...options.variables } });
  return {
    ...git,
    gitFolder,
    commonFolder,
    root,
    variables,
    prefix: path.relative(root, folder).split(path.sep).join("/"),
    async readHead() {
      const args = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
      const { exit, stdout } = await git.run(args, { exits: [0, 1] });
      return exit === 0 ? stdout.toString("latin1").trim() : undefined;
    },
  };
}

type RepositoryFolders = readonly [gitFolder: string, commonFolder: string];

/** Caches folders by environment and `.git` file, because a command opens a repository more than once. */
const known = new WeakMap<GitOptions["environment"], Map<string, RepositoryFolders>>();

async function findFolders(root: string, options: GitOptions): Promise<RepositoryFolders> {
  const file = path.join(root, ".git");
  const { dev, ino, birthtimeNs } = await stat(file, { bigint: true });
  const key = [file, dev, ino, birthtimeNs].join("\n");
  const folders = known.get(options.environment) ?? new Map<string, RepositoryFolders>();
  const cached = folders.get(key);
  if (cached) return cached;
  // Runs git's own repository check, which also verifies that the owner is trusted.
  const git = await openGit({ ...options, folder: root });
  const args = [
    "--path-format=absolute",
    "--resolve-git-dir",
    file,
    "--absolute-git-dir",
    "--git-common-dir",
  ];
  const facts = await git.readText(["rev-parse", ...args]).catch((error: unknown) => {
    throw error instanceof GitError && error.code === "not-a-repository" ? createDamagedError(file) : error;
  });
  const [named = "", gitFolder = "", commonFolder = ""] = facts.split("\n");
  if ((await realpath(named)) !== (await realpath(gitFolder))) throw createDamagedError(file);
  known.set(options.environment, folders.set(key, [gitFolder, commonFolder]));
  return [gitFolder, commonFolder];
}

export function isSubmodule({ gitFolder }: Repository): boolean {
  return /[\\/]\.git[\\/](?:worktrees[\\/][^\\/]+[\\/])?modules[\\/]/.test(gitFolder);
}

function findWorkingTree(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, ".git"))) return at;
    if (path.dirname(at) === at) return undefined;
  }
}

function createDamagedError(file: string): GitError {
  const message = `git does not accept ${sanitizeText(file)} as a repository. It may be damaged. Check it with \`git status\`, or clone the repository again.`;
  return new GitError("damaged", "git rev-parse", message);
}

function createNotARepositoryError(folder: string): GitError {
  const message = `${folder} is not in a git repository. Run the command in a clone of the repository.`;
  return new GitError("not-a-repository", "git rev-parse", message);
}

/**
 * Resolves a name, such as a ref or the start of an id, to a commit id. Returns undefined if there is no such commit.
 */
export async function resolveCommit(git: Pick<Git, "run">, name: string): Promise<string | undefined> {
  if (name.includes("\0")) return undefined;
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const { exit, stdout } = await git.run(args, { exits: [0, 1, 128] });
  const id = stdout.toString("latin1").trim();
  return exit === 0 && isCommitId(id) ? id : undefined;
}
