import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { isInside, readRegular } from "../../base/files/index.js";
import { type SourceErrorCode, SourceProblem } from "./source-error.js";
import type { SourceContext } from "./source-kind.js";
import { maxBytes, type SizeLimit, tooLongText } from "./text.js";

/** Reads a project file. Follows symlinks that stay inside the project. */
export async function readProjectFile(
  path: string,
  { root }: SourceContext,
  limit: SizeLimit = { bytes: maxBytes, problem: tooLongText },
): Promise<Uint8Array> {
  try {
    const real = await resolveInside(path, root);
    if (real !== undefined) return await readRegular(real, limit.bytes);
  } catch (thrown) {
    throw toProblem(thrown, limit);
  }
  throw new SourceProblem(
    "outside-project",
    "is outside the project folder. Move it inside, or use !exec or !env.",
  );
}

/** Returns the real path, or undefined if it is outside the project. Throws system errors. */
async function resolveInside(path: string, root: string): Promise<string | undefined> {
  if (!isInside(root, resolve(root, path))) return undefined;
  const real = await realpath(resolve(root, path));
  return isInside(await realpath(root), real) ? real : undefined;
}

const refusals: Readonly<Record<string, readonly [code: SourceErrorCode, problem: string]>> = {
  ENOENT: [
    "not-found",
    "does not exist. Create it, or correct its path. In YAML, paths are relative to the YAML file.",
  ],
  ENOTDIR: ["not-found", "does not exist: a part of its path is a file, not a folder. Correct its path."],
  folder: ["unreadable", "is not a file. Give the path of a text file."],
  "not-regular": ["unreadable", "is not a file. Give the path of a text file."],
  EACCES: ["unreadable", "cannot be read: permission denied. Change its permissions."],
  EPERM: ["unreadable", "cannot be read: permission denied. Change its permissions."],
};

function toProblem(thrown: unknown, limit: SizeLimit): SourceProblem {
  const system = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error";
  if (system === "too-large") return new SourceProblem("too-long", limit.problem);
  const known = refusals[system];
  return known
    ? new SourceProblem(...known)
    : new SourceProblem("unreadable", `cannot be read: the system reported ${system}.`);
}
