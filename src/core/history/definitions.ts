import {
  GitError,
  type GitOptions,
  type GitSettingsCache,
  ignoreGitFailure,
  listFiles,
  openRepository,
  type Repository,
  readGitSettings,
  readUser,
} from "../../base/git/index.js";
import type { Manifest } from "../manifest/index.js";
import type { RecordedDefinitions } from "../state/index.js";

/** Files of a loaded manifest, with its folder and environment. */
export type DefinitionFiles = Pick<Manifest, "root" | "file" | "files" | "modules" | "environment">;

/**
 * Reads the checked-out commit of a project's files. Returns undefined outside a repository.
 *
 * @throws GitError if git cannot read the repository.
 */
export async function readDefinitions(
  { root, file, files, modules = [], environment }: DefinitionFiles,
  git: Omit<GitOptions, "folder">,
): Promise<RecordedDefinitions | undefined> {
  const repository = await findRepository(root, git);
  const commit = await repository?.readHead();
  if (!repository || commit === undefined) return undefined;
  const modified = await isModified(repository, [...files, ...modules]);
  const given = environment === undefined ? {} : { environment };
  return { commit, modified, folder: repository.prefix, file, ...given };
}

/** Returns the git user name that is configured for a folder, if any. */
export async function readGitUser(
  folder: string,
  git: Omit<GitOptions, "folder">,
  cache: GitSettingsCache,
): Promise<string | undefined> {
  const repository = await findRepository(folder, git).catch(ignoreGitFailure);
  const settings = repository ? await readGitSettings(repository, cache).catch(ignoreGitFailure) : [];
  return repository && settings && readUser("name", "author", git.environment, settings);
}

/** Finds the repository that contains a folder, if any. @throws GitError if git cannot read the repository. */
export async function findRepository(
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

/** File types that can be included. */
const mayBeDefinition = /\.(md|markdown|ya?ml|json|[mc]?ts)$/i;

/** Modules that TypeScript may import, but that Node does not list. */
const mayBeModule = /\.[mc]?js$/i;

/**
 * Returns whether one of the files is new or differs from the commit. Also returns true if a deleted file may have been
 * included, or a changed JavaScript file imported.
 */
async function isModified(git: Repository, files: readonly string[]): Promise<boolean> {
  const read = new Set(files);
  const hasCode = files.some((file) => /\.[mc]?ts$/i.test(file));
  const changed = await git.readText([
    "diff",
    // Ignores submodules even if their settings say otherwise.
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
    if (read.has(file) || (status === "D" && mayBeDefinition.test(file))) return true;
    if (hasCode && mayBeModule.test(file)) return true;
  }
  const committed = new Set((await listFiles(git, "HEAD", git.prefix)).map(({ path }) => path));
  return files.some((file) => !committed.has(file));
}
