import path from "node:path";
import { findNearest, type SourceRange } from "../../../base/diagnostics/index.js";
import { isPrivate } from "../../../base/files/index.js";

/** Lists the names in a project folder. Returns an empty list if the folder does not exist. */
export type ListNames = (folder: string) => readonly string[];

/** Suggests a fix for a missing file's path, such as a similar name. */
export function suggestForMissing(
  file: string,
  from: SourceRange | undefined,
  list: ListNames,
): string | undefined {
  const spelling = suggestSpelling(file, list);
  if (spelling !== undefined) return spelling;
  if (!from) return suggestMainFile(file, list);
  const similar = findNearestPath(file, list);
  return similar === undefined ? undefined : `did you mean "${similar}"?`;
}

function suggestMainFile(file: string, list: ListNames): string {
  const other = list("").find((name) => /^avatarops\.(?:yml|json)$/i.test(name));
  if (file === "avatarops.yaml" && other !== undefined)
    return `rename ${other} to avatarops.yaml, or choose it with --file ${other}`;
  const similar = findNearestPath(file, list);
  return similar === undefined
    ? "run `avatarops init` to start a project, or choose a manifest with --file"
    : `did you mean "${similar}"?`;
}

/** Suggests the existing path if it differs from the written path only in spelling. */
export function suggestSpelling(written: string, list: ListNames): string | undefined {
  const found = findSpelled(written, list);
  if (found === undefined) return undefined;
  if (written.includes("\\")) return `write the path with forward slashes: ${found}`;
  if (written.normalize("NFC") === found.normalize("NFC"))
    return "rename the existing file, because its accents use a different Unicode form (one character, or letter plus accent)";
  return `names are case-sensitive, and the file is called ${found}`;
}

/** Finds the file whose path differs only in case, Unicode normalization or backslashes. */
function findSpelled(file: string, list: ListNames): string | undefined {
  const foldName = (name: string) => name.normalize("NFC").toLowerCase();
  let at = "";
  for (const name of file.replaceAll("\\", "/").split("/")) {
    const names = list(at);
    const real = names.includes(name) ? name : names.find((one) => foldName(one) === foldName(name));
    if (real === undefined) return undefined;
    at = path.posix.join(at, real);
  }
  return at === file || isPrivate(at) ? undefined : at;
}

/** Replaces the first missing name in a path with a similar existing name. */
function findNearestPath(file: string, list: ListNames): string | undefined {
  const parts = file.split("/");
  let folder = "";
  for (const [at, name] of parts.entries()) {
    const names = list(folder);
    if (!names.includes(name)) {
      const similar = findNearest(name, names);
      const found = similar === undefined ? "" : path.posix.join(folder, similar, ...parts.slice(at + 1));
      return found === "" || isPrivate(found) ? undefined : found;
    }
    folder = path.posix.join(folder, name);
  }
  return undefined;
}
