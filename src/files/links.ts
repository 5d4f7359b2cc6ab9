import { readlink, realpath } from "node:fs/promises";
import path from "node:path";

/** A link leads out of the folder it must stay in. */
export class LeadsOutsideError extends Error {
  override readonly name = "LeadsOutsideError";
  readonly code = "outside-project";
  /** As it was named. */
  readonly file: string;
  /** Where the link leads. */
  readonly target: string;

  constructor(folder: string, file: string, target: string) {
    super(`${file} leads out of ${folder} through a link, to ${target}. Remove the link.`);
    this.file = file;
    this.target = target;
  }
}

/** Whether a path is that of a folder or of something in it, going by the letters of both. */
export function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

/** Whether a file is one of the folder, and none of git's own in it. */
export function belongsTo(folder: string, file: string): boolean {
  return isInside(folder, file) && !isGits(path.relative(folder, file));
}

/** Whether a relative path leads into a folder of git, where configuration and hooks are commands that git runs. */
export function isGits(file: string): boolean {
  return file.split(/[\\/]/).some((name) => /^\.git[. ]*$/i.test(name));
}

/** The real path of a file, also of one that does not exist yet: links are followed to their end. */
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
 * @throws LeadsOutsideError where a link leads out of the folder, or to git's own files in it.
 */
export async function realInside(folder: string, file: string): Promise<string> {
  const real = await followLinks(path.join(folder, file));
  if (belongsTo(await followLinks(folder), real)) return real;
  throw new LeadsOutsideError(folder, file, real);
}
