import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * What lives beside a state only while a command runs, and keys people keep in `.env`. The state itself belongs into git,
 * or on a shared disk: it is how the next person's plan knows what is managed.
 */
const lines = [".avatarops/*.lock*", ".avatarops/*.journal", ".avatarops/*.next", ".env"];

/** Adds what is missing to a project's `.gitignore`; whether there was something to add. */
export async function ignoreInGit(folder: string): Promise<boolean> {
  const file = path.join(folder, ".gitignore");
  const text = await textOf(file);
  const known = new Set(text.split("\n").map((line) => line.trim()));
  const missing = lines.filter((line) => !known.has(line));
  if (missing.length === 0) return false;
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  await writeFile(file, `${text}${gap}${missing.join("\n")}\n`);
  return true;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
