import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { SourceWorld } from "./resolve.js";
import type { ValueSource } from "./source.js";
import { SourceError } from "./source-error.js";

const maxBytes = 64 * 1024;

/** The text of a file inside the project, without one final newline, which editors add. */
export async function fromFile(
  { path: given }: Extract<ValueSource, { from: "file" }>,
  { root }: SourceWorld,
): Promise<string> {
  const source = `file ${given}`;
  try {
    const [inside, real] = await Promise.all([realpath(root), realpath(path.resolve(root, given))]);
    if (!real.startsWith(inside + path.sep)) {
      throw new SourceError(
        "outside-project",
        source,
        `The ${source} is outside the project folder: move it inside, or use !exec.`,
      );
    }
    const { size } = await stat(real);
    if (size > maxBytes)
      throw new SourceError(
        "too-long",
        source,
        `The ${source} has ${size} bytes: a secret has at most ${maxBytes}.`,
      );
    return nonEmpty((await readFile(real, "utf8")).replace(/\r?\n$/, ""), source);
  } catch (error) {
    if (error instanceof SourceError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT")
      throw new SourceError(
        "not-found",
        source,
        `The ${source} does not exist: create it, or correct the path.`,
      );
    throw new SourceError("unreadable", source, `The ${source} cannot be read (${code ?? "unknown error"}).`);
  }
}

/** The text, or a complaint where there is none. */
export function nonEmpty(text: string, source: string): string {
  if (text.trim() === "") throw new SourceError("empty", source, `The ${source} gave an empty value.`);
  return text;
}
