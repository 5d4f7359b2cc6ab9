import path from "node:path";
import { readRegular, writeInside } from "../../base/files/index.js";

/**
 * Lines for `.gitignore`: temporary files next to a state, and `.env` files with keys. The state itself is committed,
 * so that all users plan with the same one.
 */
const lines = [".avatarops/*.lock*", ".avatarops/*.journal", ".avatarops/*.next", ".env"];

/** Folder for the state of `emulate --project`, ignored by git. */
export const emulatorStateFolder = ".avatarops/emulated";

/** Adds missing lines, including `more`, to a project's `.gitignore`. Returns whether any were added. */
export async function ignoreInGit(folder: string, more: readonly string[] = []): Promise<boolean> {
  return addLines(folder, ".gitignore", [...lines, ...more]);
}

/**
 * Adds missing lines to a file such as `.gitignore`, with its line ending, and keeps all other bytes. The last matching
 * line wins in git, so lines at the start do not override the user's. Returns whether any were added.
 */
export async function addLines(
  folder: string,
  file: string,
  lines: readonly string[],
  place: "start" | "end" = "end",
): Promise<boolean> {
  const text = await readBytes(folder, file);
  const known = new Set(text.split("\n").map((line) => line.trim()));
  const missing = lines.filter((line) => !known.has(line));
  if (missing.length === 0) return false;
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? "\n";
  const added = missing.map((line) => line + lineEnd).join("");
  const gap = text === "" || text.endsWith("\n") ? "" : lineEnd;
  const start = text.startsWith(byteOrderMark) ? byteOrderMark.length : 0;
  const changed = place === "start" ? text.slice(0, start) + added + text.slice(start) : text + gap + added;
  await writeInside(folder, [{ file, content: Buffer.from(changed, "latin1") }]);
  return true;
}

/** Bytes of a UTF-8 byte order mark, which git accepts only at the start. */
const byteOrderMark = "\xef\xbb\xbf";

/** Reads a file as one character per byte, because it may have any encoding. */
async function readBytes(folder: string, file: string): Promise<string> {
  try {
    return (await readRegular(path.join(folder, file))).toString("latin1");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
