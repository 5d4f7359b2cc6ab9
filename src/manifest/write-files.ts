import { mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/** A file's new text, without the byte order mark the file begins with. */
export interface NewText {
  /** Relative to the root. */
  readonly file: string;
  readonly after: string;
}

const byteOrderMark = "\uFEFF";

/**
 * Writes all files or, as far as a file system allows, none: every text is on the disk beside its file before the first
 * one takes its place. A byte order mark that was there stays, and a text that begins with one gets another before it:
 * the first one of a file is not part of its text.
 */
export async function writeFiles(root: string, files: readonly NewText[]): Promise<void> {
  const staged: { target: string; beside: string }[] = [];
  try {
    for (const { file, after } of files) {
      await mkdir(path.dirname(path.join(root, file)), { recursive: true });
      const target = await behindLinks(path.join(root, file));
      const beside = path.join(path.dirname(target), `.${path.basename(target)}.${process.pid}.tmp`);
      staged.push({ target, beside });
      const mark = after.startsWith(byteOrderMark) || (await beginsWithMark(target)) ? byteOrderMark : "";
      await writeFile(beside, mark + after, { flush: true });
    }
    for (const { target, beside } of staged) await rename(beside, target);
  } finally {
    await Promise.all(staged.map(({ beside }) => rm(beside, { force: true })));
  }
}

/** A link stays a link: the file it leads to is the one replaced. */
async function behindLinks(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return file;
    throw error;
  }
}

async function beginsWithMark(file: string): Promise<boolean> {
  try {
    return (await readFile(file)).subarray(0, 3).equals(Buffer.from(byteOrderMark));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
