import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { isInside, readRegular } from "../files/index.js";
import type { SourceOf } from "./source.js";
import type { SourceEnvironment } from "./source-environment.js";
import { SourceError, type SourceErrorCode } from "./source-error.js";
import { maxBytes, textOf, tooLong } from "./text.js";

/** Reads a file of the project; follows links that stay inside it. */
export async function resolveFile(source: SourceOf<"file">, { root }: SourceEnvironment): Promise<string> {
  if (!isInside(root, resolve(root, source.path))) throw outside(source);
  try {
    const path = await realpath(resolve(root, source.path));
    if (!isInside(await realpath(root), path)) throw outside(source);
    return textOf(await readRegular(path, maxBytes), source);
  } catch (error) {
    throw error instanceof SourceError ? error : refused(source, error);
  }
}

function outside(source: SourceOf<"file">): SourceError {
  return new SourceError(
    "outside-project",
    source,
    "is outside the project folder. Move it inside, or use !exec or !env.",
  );
}

const refusals: Readonly<Record<string, readonly [code: SourceErrorCode, problem: string]>> = {
  ENOENT: [
    "not-found",
    "does not exist. Create it, or correct its path. The path shown is relative to the project folder; in YAML, paths are relative to the file they are written in.",
  ],
  ENOTDIR: ["not-found", "does not exist: a part of its path is a file, not a folder. Correct its path."],
  folder: ["unreadable", "is not a file. Name a text file."],
  "not-regular": ["unreadable", "is not a file. Name a text file."],
  "too-large": ["too-long", tooLong],
  EACCES: ["unreadable", "cannot be read: permission denied. Change its permissions."],
  EPERM: ["unreadable", "cannot be read: permission denied. Change its permissions."],
};

function refused(source: SourceOf<"file">, error: unknown): SourceError {
  const system = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  const [code, problem] = refusals[system] ?? ["unreadable", `cannot be read: the system reports ${system}.`];
  return new SourceError(code, source, problem);
}
