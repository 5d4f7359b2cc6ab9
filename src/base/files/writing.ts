import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { resolveInside } from "./links.js";

export interface NewContent {
  /** Path relative to the folder. */
  readonly file: string;
  readonly content: string | Uint8Array;
}

/**
 * Writes all files or, as far as the file system allows, none. All temporary files are on disk before the first rename.
 * Replaces the targets of symlinks, and keeps permissions.
 *
 * @throws LeadsOutsideError if a symlink leads out of the folder, and system errors.
 */
export async function writeInside(folder: string, files: readonly NewContent[]): Promise<void> {
  const staged: { target: string; beside: string }[] = [];
  try {
    for (let at = 0; at < files.length; at += maxConcurrentSyncs) {
      const batch = files.slice(at, at + maxConcurrentSyncs);
      const made = await Promise.allSettled(batch.map((file) => writeBeside(folder, file)));
      for (const one of made) if (one.status === "fulfilled") staged.push(one.value);
      for (const one of made) if (one.status === "rejected") throw one.reason;
    }
    for (const { target, beside } of staged) await rename(beside, target);
  } catch (error) {
    await Promise.all(staged.map(({ beside }) => rm(beside, { force: true })));
    throw error;
  }
}

/** Number of files to sync in parallel. A batch takes little longer than one file. */
const maxConcurrentSyncs = 32;

async function writeBeside(
  folder: string,
  { file, content }: NewContent,
): Promise<{ target: string; beside: string }> {
  const target = await resolveInside(folder, file);
  await createFolders(path.dirname(target));
  // The random name keeps others from creating a link there in advance.
  const beside = path.join(path.dirname(target), `.${path.basename(target)}.${randomUUID()}.tmp`);
  await makeFile(beside, content, await readPermissions(target));
  return { target, beside };
}

/**
 * Creates a file and syncs it to disk. Fails if the name exists, even as a symlink. By default, the umask decides the
 * permissions.
 */
export async function makeFile(
  file: string,
  content: NewContent["content"],
  permissions?: number,
): Promise<void> {
  const handle = await open(file, "wx", permissions);
  try {
    await handle.writeFile(content);
    // Restores permissions that the umask removed. If this fails, narrower permissions do no harm.
    if (permissions !== undefined) await handle.chmod(permissions).catch(() => undefined);
    await handle.sync();
  } catch (error) {
    await rm(file, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Creates a folder and its missing parents. Returns the first created folder, or undefined if all existed. Tries twice,
 * because Node reports a read-only disk as a missing folder.
 */
export async function createFolders(folder: string, mode?: number): Promise<string | undefined> {
  try {
    return await mkdir(folder, { recursive: true, mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    let first = path.resolve(folder);
    while (path.dirname(first) !== first && !(await isThere(path.dirname(first))))
      first = path.dirname(first);
    await mkdir(first, mode);
    await mkdir(folder, { recursive: true, mode });
    return first;
  }
}

const isThere = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Reads a file's permissions. Returns undefined if the file does not exist. */
export async function readPermissions(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
