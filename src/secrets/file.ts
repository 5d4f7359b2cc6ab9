import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { isInside, readRegular } from "../files/index.js";
import type { SourceOf } from "./source.js";
import type { SourceEnvironment } from "./source-environment.js";
import { SourceError, type SourceErrorCode } from "./source-error.js";
import { maxBytes, textOf, tooLong } from "./text.js";

/** Reads a file of the project; links are followed, and must not lead out of it. */
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
    "does not exist. Make it, or correct its path. It is shown from the project folder; in YAML, paths count from the file they stand in.",
  ],
  ENOTDIR: ["not-found", "does not exist: a part of its path is a file, not a folder. Correct its path."],
  folder: ["unreadable", "is not a file. Name a text file."],
  "not-regular": ["unreadable", "is not a file. Name a text file."],
  "too-large": ["too-long", tooLong],
  EACCES: ["unreadable", "may not be read by your user. Change its permissions."],
  EPERM: ["unreadable", "may not be read by your user. Change its permissions."],
};

function refused(source: SourceOf<"file">, error: unknown): SourceError {
  const system = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  const [code, problem] = refusals[system] ?? ["unreadable", `cannot be read: the system says ${system}.`];
  return new SourceError(code, source, problem);
}
