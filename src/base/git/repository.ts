import { existsSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { GitError } from "./git-error.js";
import { isCommitId, plainText } from "./names.js";
import { type Git, type GitOptions, openGit } from "./program.js";

/*
 * Git itself takes a folder that has the form of a git folder for the repository, wherever it is. Such a folder can be part
 * of a commit, with settings of its author, which run programs. So git is given the repository explicitly: the one that the
 * nearest `.git` names, which no commit can contain.
 */

/** The repository that a folder is in. */
export interface Repository extends Git {
  /** Its folder `.git`, or the one of this worktree; absolute. */
  readonly gitFolder: string;
  /** Where its objects and configuration are: of a worktree, in the main repository; absolute. */
  readonly commonFolder: string;
  /** The root of the working tree. */
  readonly root: string;
  /** The path of the folder in the repository, with `/`, without one at its end; "" at the root. */
  readonly prefix: string;
  /** Names the repository to git, for more runs in the folder; see {@link GitOptions}. */
  readonly variables: Readonly<Record<string, string>>;
  /** The id of the commit that is checked out; undefined before the first one. */
  head(): Promise<string | undefined>;
}

/**
 * Opens the repository whose working tree a folder is in.
 *
 * @throws GitError `not-a-repository` if no folder around it has a `.git`; `damaged`, `dubious-ownership`, `no-folder`, `git-missing`, `git-too-old`
 */
export async function openRepository(options: GitOptions): Promise<Repository> {
  const folder = await realpath(options.folder).catch(() => {
    throw new GitError("no-folder", "git rev-parse", `There is no folder ${options.folder}.`);
  });
  const root = workingTreeAround(folder);
  if (root === undefined) throw notARepository(options.folder);
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
    async head() {
      const args = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
      const { exit, stdout } = await git.run(args, { exits: [0, 1] });
      return exit === 0 ? stdout.toString("latin1").trim() : undefined;
    },
  };
}

type Folders = readonly [gitFolder: string, commonFolder: string];

/** What git said of a `.git`, as long as that is the same file, for those who have the same environment: a command opens a repository more than once. */
const known = new WeakMap<GitOptions["environment"], Map<string, Folders>>();

async function findFolders(root: string, options: GitOptions): Promise<Folders> {
  const file = path.join(root, ".git");
  const { dev, ino, birthtimeNs } = await stat(file, { bigint: true });
  const key = [file, dev, ino, birthtimeNs].join("\n");
  const folders = known.get(options.environment) ?? new Map<string, Folders>();
  const told = folders.get(key);
  if (told) return told;
  // Git finds it once more, and says whether its owner may be trusted.
  const git = await openGit({ ...options, folder: root });
  const args = [
    "--path-format=absolute",
    "--resolve-git-dir",
    file,
    "--absolute-git-dir",
    "--git-common-dir",
  ];
  const facts = await git.text(["rev-parse", ...args]).catch((error: unknown) => {
    throw error instanceof GitError && error.code === "not-a-repository" ? damaged(file) : error;
  });
  const [named = "", gitFolder = "", commonFolder = ""] = facts.split("\n");
  if ((await realpath(named)) !== (await realpath(gitFolder))) throw damaged(file);
  known.set(options.environment, folders.set(key, [gitFolder, commonFolder]));
  return [gitFolder, commonFolder];
}

export function isSubmodule({ gitFolder }: Repository): boolean {
  return /[\\/]\.git[\\/](?:worktrees[\\/][^\\/]+[\\/])?modules[\\/]/.test(gitFolder);
}

function workingTreeAround(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, ".git"))) return at;
    if (path.dirname(at) === at) return undefined;
  }
}

function damaged(file: string): GitError {
  const message = `git does not take ${plainText(file)} for a repository: it may be damaged. Check it with \`git status\`, or clone the repository again.`;
  return new GitError("damaged", "git rev-parse", message);
}

function notARepository(folder: string): GitError {
  const message = `${folder} is in no git repository. Run the command in a clone of the repository.`;
  return new GitError("not-a-repository", "git rev-parse", message);
}

/** The id of the commit that a name stands for, such as a ref or the start of an id; undefined if there is none. */
export async function commitNamed(git: Pick<Git, "run">, name: string): Promise<string | undefined> {
  if (name.includes("\0")) return undefined;
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const { exit, stdout } = await git.run(args, { exits: [0, 1, 128] });
  const id = stdout.toString("latin1").trim();
  return exit === 0 && isCommitId(id) ? id : undefined;
}
