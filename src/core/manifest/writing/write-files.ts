import path from "node:path";
import { type NewContent, readRegular, writeInside } from "../../../base/files/index.js";

/** A file's new text, without its byte order mark. */
export interface NewText {
  readonly file: string;
  readonly after: string;
}

const byteOrderMark = "\uFEFF";

/**
 * Writes all files or, as far as the file system allows, none of them. Keeps a file's byte order mark, and adds one if
 * the new text itself starts with that character.
 *
 * @throws LeadsOutsideError if a symlink leads out of the root, or to git's own files in it.
 */
export async function writeFiles(root: string, files: readonly NewText[]): Promise<void> {
  const contents: NewContent[] = [];
  // Reads one at a time, because a process cannot open thousands of files at once.
  for (const text of files) {
    const hadMark = await startsWithMark(path.join(root, text.file));
    contents.push({
      file: text.file,
      get content() {
        const { after } = text;
        return hadMark || after.startsWith(byteOrderMark) ? byteOrderMark + after : after;
      },
    });
  }
  await writeInside(root, contents);
}

async function startsWithMark(file: string): Promise<boolean> {
  try {
    return (await readRegular(file)).subarray(0, 3).equals(Buffer.from(byteOrderMark));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
