import { readlink, realpath } from "node:fs/promises";
import path from "node:path";

/** A link leads out of the folder it must stay in. */
export class LeadsOutsideError extends Error {
  override readonly name = "LeadsOutsideError";
  readonly code = "outside-project";
  /** As named by the caller. */
  readonly file: string;
  /** The target of the link. */
  readonly target: string;

  constructor(folder: string, file: string, target: string) {
    super(`${file} is a link to ${target}, outside ${folder}. Remove the link.`);
    this.file = file;
    this.target = target;
  }
}

/** A relative path as manifests and git write it. */
export function posix(file: string): string {
  return file.split(path.sep).join("/");
}

/** Whether a path is a folder or inside it, comparing the paths as text. */
export function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

/** Whether a file is in the folder, and not in a folder of git. */
export function belongsTo(folder: string, file: string): boolean {
  return isInside(folder, file) && !isGits(path.relative(folder, file));
}

/** Whether a relative path is in a folder of git, whose configuration and hooks are commands that git runs. */
export function isGits(file: string): boolean {
  return file.split(/[\\/]/).some((name) => /^\.git[. ]*$/i.test(name));
}

/** The real path of a file, even if it does not exist yet: follows links to their end. */
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
 * The real path of a file that must be in a folder; either may not exist yet.
 *
 * @throws LeadsOutsideError if a link leads out of the folder, or to git's own files in it.
 */
export async function realInside(folder: string, file: string): Promise<string> {
  const real = await followLinks(path.join(folder, file));
  if (belongsTo(await followLinks(folder), real)) return real;
  throw new LeadsOutsideError(folder, file, real);
}
