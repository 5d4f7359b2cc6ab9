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

/** Adds missing lines to a file such as `.gitignore`. Returns whether any were added. */
export async function addLines(folder: string, file: string, lines: readonly string[]): Promise<boolean> {
  const text = await readText(folder, file);
  const known = new Set(text.split("\n").map((line) => line.trim()));
  const missing = lines.filter((line) => !known.has(line));
  if (missing.length === 0) return false;
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  await writeInside(folder, [{ file, content: `${text}${gap}${missing.join("\n")}\n` }]);
  return true;
}

async function readText(folder: string, file: string): Promise<string> {
  try {
    return (await readRegular(path.join(folder, file))).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
