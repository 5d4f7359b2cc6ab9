import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

interface OwnPackage {
  readonly name: string;
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The folder of this package. A bundle and its sources lie at different depths in it. */
export const packageFolder: string = findPackage(path.dirname(fileURLToPath(import.meta.url)));

const own = readPackage(packageFolder);

export const version: string = own.version;

/** Whether this is a clone, of a version that may not be released. */
export const isClone = existsSync(path.join(packageFolder, ".git"));

/** What a project in TypeScript installs: this package, and what it is itself checked and tested with. */
export const typescriptPackages: Readonly<Record<string, string>> = Object.fromEntries([
  ["avatarops", isClone ? `file:${packageFolder}` : `^${version}`],
  ...["@types/node", "tsx", "typescript"].map((name) => [name, `^${own.devDependencies[name]}`]),
]);

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
