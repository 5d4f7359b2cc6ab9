import path from "node:path";
import { GitError } from "./git-error.js";
import { isCommitId } from "./names.js";
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
    async head() {
      const args = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
      const { exit, stdout } = await git.run(args, { exits: [0, 1] });
      return exit === 0 ? stdout.toString("latin1").trim() : undefined;
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

/** The id of the commit that a name stands for, such as a ref or the start of an id; undefined if there is none. */
export async function commitNamed(git: Pick<Git, "run">, name: string): Promise<string | undefined> {
  if (name.includes("\0")) return undefined;
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const { exit, stdout } = await git.run(args, { exits: [0, 1, 128] });
  const id = stdout.toString("latin1").trim();
  return exit === 0 && isCommitId(id) ? id : undefined;
}
