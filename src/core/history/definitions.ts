import {
  GitError,
  type GitOptions,
  ignoreGitFailure,
  listFiles,
  openRepository,
  type Repository,
  readSettings,
  readUser,
} from "../../base/git/index.js";
import type { Manifest } from "../manifest/index.js";
import type { Definitions } from "../state/index.js";

/** The part of a manifest that names its files. */
export type DefinitionFiles = Pick<Manifest, "root" | "file" | "files" | "environment">;

/**
 * The commit that the files of a project are checked out from; undefined if they are in no repository.
 *
 * @throws GitError if git cannot tell
 */
export async function readDefinitions(
  { root, file, files, environment }: DefinitionFiles,
  git: Omit<GitOptions, "folder">,
): Promise<Definitions | undefined> {
  const repository = await repositoryAt(root, git);
  const commit = await repository?.head();
  if (!repository || commit === undefined) return undefined;
  const modified = await isModified(repository, files);
  const given = environment === undefined ? {} : { environment };
  return { commit, modified, folder: repository.prefix, file, ...given };
}

/** The name of git's user, as the author of a commit in the folder; undefined if there is none. */
export async function readGitUser(
  folder: string,
  git: Omit<GitOptions, "folder">,
): Promise<string | undefined> {
  const repository = await repositoryAt(folder, git).catch(ignoreGitFailure);
  const settings = repository ? await readSettings(repository).catch(ignoreGitFailure) : [];
  return repository && settings && readUser("name", "author", git.environment, settings);
}

/** The repository that a folder is in; undefined if there is none. @throws GitError if git cannot read it. */
export async function repositoryAt(
  folder: string,
  git: Omit<GitOptions, "folder">,
): Promise<Repository | undefined> {
  try {
    return await openRepository({ ...git, folder });
  } catch (error) {
    if (error instanceof GitError && error.code === "not-a-repository") return undefined;
    throw error;
  }
}

/** What an include may name. */
const isDefinition = /\.(md|markdown|ya?ml|json|[mc]?ts)$/i;

/**
 * Whether any of the files differs from the commit or is not in it, or a file of the project was deleted: an include
 * may have named it.
 */
async function isModified(git: Repository, files: readonly string[]): Promise<boolean> {
  const read = new Set(files);
  const changed = await git.text([
    "diff",
    // Their settings are not ours to obey.
    "--ignore-submodules=all",
    "--name-status",
    "--no-renames",
    "-z",
    "--relative",
    "HEAD",
    "--",
    ".",
  ]);
  const parts = changed.split("\0");
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [status, file = ""] = parts.slice(at, at + 2);
    if (read.has(file) || (status === "D" && isDefinition.test(file))) return true;
  }
  const committed = new Set((await listFiles(git, "HEAD", git.prefix)).map(({ path }) => path));
  return files.some((file) => !committed.has(file));
}
