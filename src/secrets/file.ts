import { open, realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { SourceOf, SourceWorld } from "./resolve.js";
import { SourceError, type SourceErrorCode } from "./source-error.js";
import { maxBytes, textOf } from "./text.js";

/** Reads a file of the project; links are followed, and must not lead out of it. */
export async function resolveFile(source: SourceOf<"file">, { root }: SourceWorld): Promise<string> {
  if (!isInside(root, resolve(root, source.path))) throw outside(source);
  try {
    const path = await realpath(resolve(root, source.path));
    if (!isInside(await realpath(root), path)) throw outside(source);
    // Asked before it is opened: opening a pipe waits for a writer.
    if (!(await stat(path)).isFile()) {
      throw new SourceError("unreadable", source, "is not a file. Name a text file.");
    }
    return textOf(await readStart(path), source);
  } catch (error) {
    throw error instanceof SourceError ? error : refused(source, error);
  }
}

/** At most one byte more than is allowed, however long the file is. */
async function readStart(path: string): Promise<Uint8Array> {
  const handle = await open(path, "r");
  try {
    const bytes = new Uint8Array(maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = (await handle.read(bytes, length, bytes.length - length)).bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await handle.close();
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
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
    "does not exist. Make it, or correct its path, which counts from the project folder.",
  ],
  ENOTDIR: ["not-found", "does not exist: a part of its path is a file, not a folder. Correct its path."],
  EACCES: ["unreadable", "may not be read by your user. Change its permissions."],
  EPERM: ["unreadable", "may not be read by your user. Change its permissions."],
};

function refused(source: SourceOf<"file">, error: unknown): SourceError {
  const system = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  const [code, problem] = refusals[system] ?? ["unreadable", `cannot be read: the system says ${system}.`];
  return new SourceError(code, source, problem);
}
