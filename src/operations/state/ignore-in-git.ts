import path from "node:path";
import { readRegular, writeInside } from "../../base/files/index.js";

/**
 * Files that exist beside a state only while a command runs, results of tests, and `.env` files
 * with keys. The state itself belongs in git: that is how the next person's plan knows what is managed.
 */
const lines = [".avatarops/*.lock*", ".avatarops/*.journal", ".avatarops/*.next", ".env"];

/** Where `emulate --project` has its state: git ignores all of it. */
export const emulatedFolder = ".avatarops/emulated";

/** Adds the missing lines to a project's `.gitignore`, and more; returns whether it added any. */
export async function ignoreInGit(folder: string, more: readonly string[] = []): Promise<boolean> {
  return addLines(folder, ".gitignore", [...lines, ...more]);
}

/** Adds the missing lines to a file of git; returns whether it added any. */
export async function addLines(folder: string, file: string, lines: readonly string[]): Promise<boolean> {
  const text = await textIn(folder, file);
  const known = new Set(text.split("\n").map((line) => line.trim()));
  const missing = lines.filter((line) => !known.has(line));
  if (missing.length === 0) return false;
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  await writeInside(folder, [{ file, content: `${text}${gap}${missing.join("\n")}\n` }]);
  return true;
}

async function textIn(folder: string, file: string): Promise<string> {
  try {
    return (await readRegular(path.join(folder, file))).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
