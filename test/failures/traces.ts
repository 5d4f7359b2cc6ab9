import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { listEncodings } from "./encodings.js";

/** Output and files that runs leave behind. */
export class Traces {
  /** Recorded strings and where each was first found. */
  readonly #texts = new Map<string, string>();

  keep(where: string, text: string): void {
    if (!this.#texts.has(text)) this.#texts.set(text, where);
  }

  /** Records the current content of each project file, except the user's own secrets. */
  async keepFiles(folder: string, when: string): Promise<string[]> {
    const files: string[] = [];
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith(".secret")) continue;
      const file = path.join(entry.parentPath, entry.name);
      const text = await readFile(file, "utf8").catch(ignoreRenamed);
      if (text === undefined) continue;
      this.keep(`${file} ${when}`, text);
      files.push(path.relative(folder, file));
    }
    return files;
  }

  /** Fails if any form of a value is in the recorded strings. */
  expectClean(values: Readonly<Record<string, string>>): void {
    const forms = Object.entries(values).flatMap(([name, value]) =>
      Object.entries(listEncodings(value)).map(
        ([encoding, form]) => [`${name} (${encoding})`, form] as const,
      ),
    );
    const leaks = [...this.#texts].flatMap(([text, where]) =>
      forms.flatMap(([what, form]) => (text.includes(form) ? [`${what} in ${where}`] : [])),
    );
    expect(leaks).toEqual([]);
  }
}

/** Ignores a missing file. A running command may rename a temporary file before it is read. */
function ignoreRenamed(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
