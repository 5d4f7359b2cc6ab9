import { existsSync, lstatSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { isInside } from "../../base/files/index.js";
import { mainFiles } from "../../core/manifest/index.js";
import type { Host } from "./host.js";

/**
 * Finds the project's main file in the current folder or above, up to the root of the git repository. Skips files of
 * other owners and stops at their folders, because anyone can place code in a folder such as /tmp.
 *
 * @returns the main file, relative to the current folder. Undefined if the current folder has a main file, or if none
 * is found.
 * @throws UsageError if a folder has two main files.
 */
export function findProjectAbove({ cwd, environment, platform }: Host): string | undefined {
  const owner = readOwner(cwd);
  // Node reports no owners on Windows.
  const home = platform.startsWith("win32") ? (environment.USERPROFILE ?? cwd) : undefined;
  const isOwn = (file: string) =>
    readOwner(file) === owner && (home === undefined || isInside(path.resolve(home), file));
  for (let folder = cwd; folder === cwd || isOwn(folder); folder = path.dirname(folder)) {
    const [main, other] = mainFiles.filter((name) => existsSync(path.join(folder, name)));
    if (main !== undefined && folder === cwd) return undefined;
    if (main !== undefined && isOwn(path.join(folder, main))) {
      if (other === undefined) return path.relative(cwd, path.join(folder, main));
      throw new UsageError(
        "two-manifests",
        `${folder} has both ${main} and ${other}. Choose one with --file.`,
      );
    }
    if (existsSync(path.join(folder, ".git")) || folder === path.dirname(folder)) return undefined;
  }
  return undefined;
}

function readOwner(file: string): number | undefined {
  try {
    return lstatSync(file).uid;
  } catch {
    return undefined;
  }
}
