import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

interface OwnPackage {
  readonly name: string;
  readonly version: string;
}

/** The folder of this package. A bundle and its sources lie at different depths in it. */
export const packageFolder: string = findPackage(path.dirname(fileURLToPath(import.meta.url)));

export const version: string = readPackage(packageFolder).version;

/** @throws Error if no folder above is that of this package: its files were taken out of it. */
function findPackage(folder: string): string {
  const isOwn = existsSync(path.join(folder, "package.json")) && readPackage(folder).name === "avatarops";
  if (isOwn) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error("avatarops does not find its own package.json. Install it again.");
  return findPackage(parent);
}

function readPackage(folder: string): OwnPackage {
  return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as OwnPackage;
}
