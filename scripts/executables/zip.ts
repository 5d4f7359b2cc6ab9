import { readFile, writeFile } from "node:fs/promises";
import { type Zippable, zipSync } from "fflate";

/** A file in an archive. */
export interface Entry {
  readonly name: string;
  /** Path of the file to read. */
  readonly file: string;
  /** Its permissions: terraform takes them from the archive. */
  readonly mode: number;
}

/** Writes a zip file. Times and order are fixed, and what compresses is the same on every machine. */
export async function writeZip(target: string, entries: readonly Entry[]): Promise<void> {
  const unix = 3;
  const regularFile = 0o100000;
  // Zip has local times only, and fflate takes them from the time zone of this machine: so does this date.
  const mtime = new Date(2000, 0, 1);
  const files = entries.map(
    async ({ name, file, mode }): Promise<[string, Zippable[string]]> => [
      name,
      [await readFile(file), { os: unix, attrs: (regularFile | mode) << 16, mtime }],
    ],
  );
  await writeFile(target, zipSync(Object.fromEntries(await Promise.all(files))));
}
