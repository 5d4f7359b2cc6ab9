import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { realInside } from "./links.js";

export interface NewContent {
  /** Relative to the folder. */
  readonly file: string;
  readonly content: string;
}

/**
 * Writes all files of a folder or, as far as a file system allows, none: every content is on disk in a temporary file
 * before the first one is renamed. Links stay (their target is replaced), and files keep their permissions.
 *
 * @throws LeadsOutsideError if a link leads out of the folder; errors of the system.
 */
export async function writeInside(folder: string, files: readonly NewContent[]): Promise<void> {
  const staged: { target: string; beside: string }[] = [];
  try {
    for (let at = 0; at < files.length; at += stagedAtOnce) {
      const batch = files.slice(at, at + stagedAtOnce);
      const made = await Promise.allSettled(batch.map((file) => stage(folder, file)));
      for (const one of made) if (one.status === "fulfilled") staged.push(one.value);
      for (const one of made) if (one.status === "rejected") throw one.reason;
    }
    for (const { target, beside } of staged) await rename(beside, target);
  } catch (error) {
    await Promise.all(staged.map(({ beside }) => rm(beside, { force: true })));
    throw error;
  }
}

/** A disk syncs several files in little more time than one. */
const stagedAtOnce = 32;

async function stage(
  folder: string,
  { file, content }: NewContent,
): Promise<{ target: string; beside: string }> {
  const target = await realInside(folder, file);
  await mkdir(path.dirname(target), { recursive: true });
  // A random name, so that nobody can put a link there in advance.
  const beside = path.join(path.dirname(target), `.${path.basename(target)}.${randomUUID()}.tmp`);
  await makeFile(beside, content, await readPermissions(target));
  return { target, beside };
}

/**
 * Creates a new file and syncs its bytes. Follows no link and writes into no existing file: an existing name
 * is an error. Without `permissions` the file gets those of any new file.
 */
export async function makeFile(file: string, content: string, permissions?: number): Promise<void> {
  const handle = await open(file, "wx", permissions);
  try {
    await handle.writeFile(content);
    // The umask may have removed some; where they cannot be set, fewer do no harm.
    if (permissions !== undefined) await handle.chmod(permissions).catch(() => undefined);
    await handle.sync();
  } catch (error) {
    await rm(file, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

/** The permissions of a file; undefined if there is none. */
export async function readPermissions(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
