import { readdir, realpath } from "node:fs";
import path from "node:path";
import { type GlobOptions, glob } from "tinyglobby";
import type { SourceRange } from "../../../base/diagnostics/index.js";
import { followLinks, isInside } from "../../../base/files/index.js";
import { findGlobFolder, type MatchBudget, matchesGlob } from "./glob.js";
import type { FileTree } from "./project-files.js";
import type { Reading } from "./reading.js";

/**
 * Finds the project files that match a pattern, relative to the root. Does not pass the pattern to the library that
 * walks the folders (see glob.ts). Reports symlinks that lead out of the project, but does not follow them, because the
 * search might never end.
 */
export async function findMatches(
  pattern: string,
  from: SourceRange,
  { files, collector, steps }: Reading & { readonly steps: MatchBudget },
): Promise<string[]> {
  if (steps.left < 0) return [];
  const folder = findGlobFolder(pattern);
  const names = pattern.split("/");
  const below = folder === "." ? names : names.slice(folder.split("/").length);
  const options = {
    cwd: path.join(files.root, folder),
    ignore: ["**/node_modules/**", "**/.git/**"],
    dot: below.some((name) => name.startsWith(".")),
    ...(pattern.includes("**") ? {} : { deep: below.length - 1 }),
    ...{ onlyFiles: true, expandDirectories: false },
  };
  const { found, outside, isFolderOutside } = await walkOnce(files, options);
  steps.left -= found.length * stepsPerFile;
  const matching = found
    .map((file) => path.posix.join(folder, file))
    .filter((file) => !/(?:^|\/)(?:node_modules|\.git)\//.test(file))
    .filter((file) => matchesGlob(file, pattern, steps));
  if (steps.left < 0) {
    const message = `matching the patterns takes too long (stopped at ${JSON.stringify(pattern.slice(0, 80))})`;
    collector.error("invalid-pattern", message, from, "use fewer patterns and wildcards");
    return [];
  }
  const [report, suffix] = isFolderOutside
    ? [collector.error, "through a symlink"]
    : [collector.warning, "through a symlink, which is not followed"];
  for (const target of [...outside].sort())
    report("outside-project", `${pattern} leads outside the project folder, to ${target}, ${suffix}`, from);
  return matching;
}

interface FolderWalk {
  readonly found: readonly string[];
  /** Targets of symlinks that were not followed. */
  readonly outside: ReadonlySet<string>;
  /** Whether the folder itself is a symlink that leads out of the project. */
  readonly isFolderOutside: boolean;
}

/** Caches folder walks, because most patterns share a folder, and walking a deep folder takes seconds. */
const walks = new WeakMap<Reading["files"], Map<string, Promise<FolderWalk>>>();

function walkOnce(files: Reading["files"], options: GlobOptions): Promise<FolderWalk> {
  const known = walks.get(files) ?? new Map<string, Promise<FolderWalk>>();
  walks.set(files, known);
  const key = JSON.stringify(options);
  const walking = known.get(key) ?? walk(files, options);
  known.set(key, walking);
  return walking;
}

async function walk(files: Reading["files"], options: GlobOptions): Promise<FolderWalk> {
  const outside = new Set<string>();
  let isFolderOutside = false;
  const search = async (read: typeof readdir): Promise<FolderWalk> => {
    const found = await glob("**", { ...options, fs: { readdir: read } });
    return { found, outside, isFolderOutside };
  };
  if (files.tree) return search(toReaddir(files.tree));
  const root = await followLinks(files.root);
  return search(((folder: string, reading: { withFileTypes: true }, done: (...given: unknown[]) => void) =>
    realpath.native(folder, (error, real) => {
      if (error || isInside(root, real)) return readdir(folder, reading, done);
      // The search calls this with resolved paths, except for its starting folder.
      isFolderOutside ||= isInside(files.root, folder);
      outside.add(real);
      done(null, []);
    })) as typeof readdir);
}

/** Cost of finding a file, in compared characters. */
const stepsPerFile = 10;

/** Adapts a tree to the search's `readdir`. */
function toReaddir(tree: FileTree): typeof readdir {
  return ((folder: string, _: unknown, done: (...given: unknown[]) => void) => {
    const entries = tree.entries(folder).map(({ name, isFolder }) => ({
      name,
      isDirectory: () => isFolder,
      isFile: () => !isFolder,
      isSymbolicLink: () => false,
    }));
    done(null, entries);
  }) as typeof readdir;
}
