import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

interface OwnPackage {
  readonly name: string;
  readonly version: string;
}

/** This package's folder. Searched for, because the bundle and the sources are at different depths in it. */
export const packageFolder: string = findPackage(path.dirname(fileURLToPath(import.meta.url)));

export const version: string = readPackage(packageFolder).version;

/** Whether this package is a git clone, whose version may be unreleased. */
export const isClone: boolean = existsSync(path.join(packageFolder, ".git"));

/**
 * Finds this package's folder. @throws Error if no parent folder is this package, for example because single files were
 * copied.
 */
function findPackage(folder: string): string {
  const isOwn = existsSync(path.join(folder, "package.json")) && readPackage(folder).name === "avatarops";
  if (isOwn) return folder;
  const parent = path.dirname(folder);
  if (parent === folder)
    throw new Error("avatarops cannot find its own package.json. Install avatarops again.");
  return findPackage(parent);
}

function readPackage(folder: string): OwnPackage {
  return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as OwnPackage;
}
