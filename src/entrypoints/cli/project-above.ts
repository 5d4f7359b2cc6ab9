import { existsSync, lstatSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { isInside } from "../../base/files/index.js";
import { mainFiles } from "../../core/manifest/index.js";
import type { Host } from "./host.js";

/**
 * Finds the project's main file in a parent folder, up to the root of the git repository.
 *
 * @returns the main file, relative to the current folder. Undefined if the current folder has a main file, or if none
 * is found.
 * @throws UsageError if a folder has two main files.
 */
export function findProjectAbove(host: Host): string | undefined {
  const [main, other] = findNearestMainFiles(host);
  const folder = path.dirname(main ?? "");
  if (main === undefined || folder === ".") return undefined;
  if (other === undefined) return main;
  throw new UsageError(
    "two-manifests",
    `${path.resolve(host.cwd, folder)} has both ${path.basename(main)} and ${path.basename(other)}. Choose one with --file.`,
  );
}

/**
 * Finds the main files in the current folder, or in the nearest parent folder that has any. Skips files and stops at
 * folders of another owner, because anyone can place code in a folder such as /tmp.
 *
 * @returns the main files, relative to the current folder, avatarops.yaml first.
 */
export function findNearestMainFiles({ cwd, environment, platform }: Host): readonly string[] {
  const owner = readOwner(cwd);
  // Node reports no owners on Windows.
  const home = platform.startsWith("win32") ? (environment.USERPROFILE ?? cwd) : undefined;
  const isOwn = (file: string) =>
    readOwner(file) === owner && (home === undefined || isInside(path.resolve(home), file));
  for (let folder = cwd; folder === cwd || isOwn(folder); folder = path.dirname(folder)) {
    const found = mainFiles.map((name) => path.join(folder, name)).filter((file) => existsSync(file));
    const [main] = found;
    if (main !== undefined && (folder === cwd || isOwn(main)))
      return found.map((file) => path.relative(cwd, file));
    if (existsSync(path.join(folder, ".git")) || folder === path.dirname(folder)) return [];
  }
  return [];
}

function readOwner(file: string): number | undefined {
  try {
    return lstatSync(file).uid;
  } catch {
    return undefined;
  }
}
