import { rename, rm, writeFile } from "node:fs/promises";
import { UsageError } from "./failure.js";

/** Writes a whole file or none: a reader never sees half of it, and a full disk leaves the old one. */
export async function writeWhole(path: string, named: string, text: string): Promise<void> {
  const next = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(next, text);
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      "unwritable-file",
      `${named} cannot be written (${code ?? "unknown error"}): check the folder and the disk.`,
    );
  }
}
