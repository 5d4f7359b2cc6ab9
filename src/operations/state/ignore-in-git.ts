import path from "node:path";
import { posix, readRegular, writeInside } from "../../base/files/index.js";

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
  return add(folder, file, await textIn(folder, file), lines);
}

/**
 * The same for the files beside a state at another path, relative to the project; only if there is a
 * `.gitignore` with our lines: otherwise the user decides what git ignores.
 */
export async function ignoreBesideState(folder: string, state: string): Promise<boolean> {
  const own = posix(path.normalize(state));
  if ([".avatarops", emulatedFolder].includes(path.posix.dirname(own))) return false;
  const text = await textIn(folder, ".gitignore");
  if (!readLines(text).has(".avatarops/*.journal")) return false;
  const name = `/${own}`.replace(/[\\*?[\] ]/g, "\\$&");
  return add(folder, ".gitignore", text, [`${name}.lock*`, `${name}.journal`, `${name}.next`]);
}

async function add(folder: string, file: string, text: string, lines: readonly string[]): Promise<boolean> {
  const known = readLines(text);
  const missing = lines.filter((line) => !known.has(line));
  if (missing.length === 0) return false;
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  await writeInside(folder, [{ file, content: `${text}${gap}${missing.join("\n")}\n` }]);
  return true;
}

function readLines(text: string): ReadonlySet<string> {
  return new Set(text.split("\n").map((line) => line.trim()));
}

async function textIn(folder: string, file: string): Promise<string> {
  try {
    return (await readRegular(path.join(folder, file))).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
