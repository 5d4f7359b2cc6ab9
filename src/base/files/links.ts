import { readlink, realpath } from "node:fs/promises";
import path from "node:path";

/** Error for a symlink that leads out of its allowed folder. */
export class LeadsOutsideError extends Error {
  override readonly name = "LeadsOutsideError";
  readonly code = "outside-project";
  /** File path as passed by the caller. */
  readonly file: string;
  readonly target: string;

  constructor(folder: string, file: string, target: string) {
    super(`${file} is a link to ${target}, outside ${folder}. Remove the link.`);
    this.file = file;
    this.target = target;
  }
}

/** Converts a relative path to forward slashes, as in manifests and git. */
export function toPosixPath(file: string): string {
  return file.split(path.sep).join("/");
}

/** Returns whether a path is a folder or inside it. Compares the paths as text. */
export function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

/** Returns whether a file is in the folder, but not in its `.git`. */
export function belongsTo(folder: string, file: string): boolean {
  return isInside(folder, file) && !isInGitFolder(path.relative(folder, file));
}

/**
 * Returns whether a relative path is in a `.git` folder. Its configuration and hooks contain commands that git runs.
 */
export function isInGitFolder(file: string): boolean {
  return file.split(/[\\/]/).some((name) => /^\.git[. ]*$/i.test(name));
}

/** Resolves all symlinks in a path, even if the file does not exist yet. */
export async function followLinks(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const folder = path.dirname(file);
  if (folder === file) return file;
  const at = path.join(await followLinks(folder), path.basename(file));
  const target = await readlink(at).catch(() => undefined);
  return target === undefined ? at : followLinks(path.resolve(path.dirname(at), target));
}

/**
 * Resolves a file's real path and checks that it is inside the folder. The file and the folder may not exist yet.
 *
 * @throws LeadsOutsideError if a link leads out of the folder or into its `.git`.
 */
export async function resolveInside(folder: string, file: string): Promise<string> {
  const real = await followLinks(path.join(folder, file));
  if (belongsTo(await followLinks(folder), real)) return real;
  throw new LeadsOutsideError(folder, file, real);
}
