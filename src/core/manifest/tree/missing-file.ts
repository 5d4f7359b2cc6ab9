import path from "node:path";
import { nearest, type SourceRange } from "../../../base/diagnostics/index.js";
import { isPrivate } from "../../../base/files/index.js";

/** The names in a folder of the project; none if there is no such folder. */
export type ListNames = (folder: string) => readonly string[];

/** What to do about a path at which there is no file: a file may be there under almost this name. */
export function hintForMissing(
  file: string,
  from: SourceRange | undefined,
  list: ListNames,
): string | undefined {
  const spelling = hintForSpelling(file, list);
  if (spelling !== undefined) return spelling;
  if (!from) return hintForMain(file, list);
  const meant = nearestPath(file, list);
  return meant === undefined ? undefined : `did you mean "${meant}"?`;
}

function hintForMain(file: string, list: ListNames): string {
  const other = list("").find((name) => /^avatarops\.(?:yml|json)$/i.test(name));
  if (file === "avatarops.yaml" && other !== undefined)
    return `the manifest is called avatarops.yaml: rename ${other}, or name it with --file ${other}`;
  const meant = nearestPath(file, list);
  return meant === undefined
    ? "run `avatarops init` to start a project, or choose its manifest with --file"
    : `did you mean "${meant}"?`;
}

/** What differs in the spelling of a path that is there otherwise; undefined if it is not, or is spelled so. */
export function hintForSpelling(written: string, list: ListNames): string | undefined {
  const found = findSpelled(written, list);
  if (found === undefined) return undefined;
  if (written.includes("\\")) return `write its path with /: ${found}`;
  if (written.normalize("NFC") === found.normalize("NFC"))
    return "a file has this name with its accents in another form (letter and accent as one character, or as two): rename it";
  return `upper and lower case count, and the file is called ${found}`;
}

/** The file whose path differs in case, the form of accents or backslashes only. */
function findSpelled(file: string, list: ListNames): string | undefined {
  const plain = (name: string) => name.normalize("NFC").toLowerCase();
  let at = "";
  for (const name of file.replaceAll("\\", "/").split("/")) {
    const names = list(at);
    const real = names.includes(name) ? name : names.find((one) => plain(one) === plain(name));
    if (real === undefined) return undefined;
    at = path.posix.join(at, real);
  }
  return at === file || isPrivate(at) ? undefined : at;
}

/** The path with the first name that does not exist replaced by one that is like it. */
function nearestPath(file: string, list: ListNames): string | undefined {
  const names = file.split("/");
  let folder = "";
  for (const [at, name] of names.entries()) {
    const there = list(folder);
    if (!there.includes(name)) {
      const meant = nearest(name, there);
      const found = meant === undefined ? "" : path.posix.join(folder, meant, ...names.slice(at + 1));
      return found === "" || isPrivate(found) ? undefined : found;
    }
    folder = path.posix.join(folder, name);
  }
  return undefined;
}
