import path from "node:path";
import { GitError } from "./git-error.js";
import { isCommitId, isRefName, plainUrl } from "./names.js";
import { type Git, type GitOptions, openGit } from "./program.js";

/** The repository that a folder is in. */
export interface Repository extends Git {
  /** Its folder `.git`, or the one of this worktree; absolute. */
  readonly gitFolder: string;
  /** Where its objects and configuration are: of a worktree, in the main repository; absolute. */
  readonly commonFolder: string;
  /** The root of the working tree; undefined if it is bare. */
  readonly root: string | undefined;
  /** The path of the folder in the repository, with `/`, without one at its end; "" at the root. */
  readonly prefix: string;
  /** The id of the commit that is checked out; undefined before the first one. */
  head(): Promise<string | undefined>;
  /** The name of the branch that is checked out; undefined if it is a commit (as in most CI jobs). */
  branch(): Promise<string | undefined>;
  /** Whether files in the folder differ from the commit, or are new to git and not ignored. */
  isDirty(): Promise<boolean>;
  /**
   * The bytes of a file at a commit; its path is relative to the folder. Undefined if it is not there.
   *
   * @throws GitError `failed` if the commit is not there, e.g. in a shallow clone.
   */
  readFile(commit: string, file: string): Promise<Buffer | undefined>;
  /** The address of a remote, without credentials; undefined if there is no such remote. */
  remoteUrl(name: string): Promise<string | undefined>;
}

/**
 * Opens the repository that a folder is in.
 *
 * @throws GitError `not-a-repository`, `dubious-ownership`, `git-missing`, `git-too-old`
 */
export async function openRepository(options: GitOptions): Promise<Repository> {
  const git = await openGit(options);
  const facts = await git.text([
    ...[
      "rev-parse",
      "--path-format=absolute",
      "--is-bare-repository",
      "--absolute-git-dir",
      "--git-common-dir",
    ],
    "--show-prefix",
  ]);
  const [bare, gitFolder = "", commonFolder = "", prefix = ""] = facts.split("\n");
  if (bare === "true") await refuseHiddenRepository(options, gitFolder);
  const root = bare === "true" ? undefined : await git.text(["rev-parse", "--show-toplevel"]);
  return {
    folder: options.folder,
    run: git.run.bind(git),
    text: git.text.bind(git),
    gitFolder,
    commonFolder,
    root,
    prefix: prefix.replace(/\/$/, ""),
    head: () => textOrNothing(git, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]),
    branch: () => textOrNothing(git, ["symbolic-ref", "--short", "--quiet", "HEAD"]),
    async isDirty() {
      const { stdout } = await git.run(["status", "--porcelain", "-z", "--ignore-submodules=all", "--", "."]);
      return stdout.length > 0;
    },
    readFile: (commit, file) => readFile(git, commit, path.posix.join(prefix, file)),
    async remoteUrl(name) {
      if (!isRefName(name)) return undefined;
      const url = await textOrNothing(git, ["remote", "get-url", "--", name], [2]);
      return url && plainUrl(url);
    },
  };
}

/**
 * A folder in a checkout can have the form of a bare repository, with a configuration of its author. Git would
 * find it before the repository around it.
 */
async function refuseHiddenRepository(options: GitOptions, gitFolder: string): Promise<void> {
  const git = await openGit({ ...options, folder: path.dirname(gitFolder) });
  const { exit } = await git.run(["rev-parse", "--git-dir"], { exits: [0, 128] });
  if (exit === 0)
    throw new GitError(
      "not-a-repository",
      "git rev-parse",
      `${gitFolder} is a bare repository inside another one, and is not used. Remove it.`,
    );
}

async function readFile(git: Git, commit: string, file: string): Promise<Buffer | undefined> {
  if (!isCommitId(commit)) throw new Error(`Bug: ${commit} is not the id of a commit`);
  const listed = await git.text(["ls-tree", "-z", "--full-tree", commit, "--", file]);
  const [, type, id] = /^\d+ (\w+) ([0-9a-f]+)\t/.exec(listed) ?? [];
  if (type !== "blob" || id === undefined) return undefined;
  return (await git.run(["cat-file", "blob", id])).stdout;
}

async function textOrNothing(
  git: Git,
  args: readonly string[],
  nothing: readonly number[] = [1],
): Promise<string | undefined> {
  const { exit, stdout } = await git.run(args, { exits: [0, ...nothing] });
  return exit === 0 ? stdout.toString("utf8").replace(/\r?\n$/, "") : undefined;
}
