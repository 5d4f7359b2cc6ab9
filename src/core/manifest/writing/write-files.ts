import path from "node:path";
import { type NewContent, readRegular, writeInside } from "../../../base/files/index.js";

/** The new text of a file, without its byte order mark. */
export interface NewText {
  readonly file: string;
  readonly after: string;
}

const byteOrderMark = "\uFEFF";

/**
 * Writes all files or, as far as a file system allows, none. Keeps an existing byte order mark, and adds a
 * second one before a text that starts with one: the first one of a file is not part of its text.
 *
 * @throws LeadsOutsideError if a link leads out of the root, or to git's own files in it.
 */
export async function writeFiles(root: string, files: readonly NewText[]): Promise<void> {
  const contents: NewContent[] = [];
  // One after the other: a process may not open thousands at once.
  for (const text of files) {
    const hadMark = await beginsWithMark(path.join(root, text.file));
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

async function beginsWithMark(file: string): Promise<boolean> {
  try {
    return (await readRegular(file)).subarray(0, 3).equals(Buffer.from(byteOrderMark));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
