import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * Writes these texts to a folder and removes all other files. Returns the names of files that differed. With `isCheck`,
 * writes nothing.
 */
export async function keepFolder(
  folder: string,
  texts: ReadonlyMap<string, string>,
  isCheck: boolean,
): Promise<string[]> {
  const present = await listFiles(folder);
  const stale: string[] = [];
  for (const [name, text] of texts) {
    const file = path.join(folder, name);
    if (present.includes(name) && (await readFile(file, "utf8")) === text) continue;
    stale.push(name);
    if (isCheck) continue;
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  for (const name of present.filter((one) => !texts.has(one))) {
    stale.push(name);
    if (!isCheck) await rm(path.join(folder, name));
  }
  return stale;
}

/** Returns the paths below a folder with `/` separators, or none if the folder is missing. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"));
}
