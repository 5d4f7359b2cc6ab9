import { readdir, realpath } from "node:fs";
import path from "node:path";
import { type GlobOptions, glob } from "tinyglobby";
import type { SourceRange } from "../../../base/diagnostics/index.js";
import { followLinks, isInside } from "../../../base/files/index.js";
import { folderOfGlob, type MatchBudget, matchesGlob } from "./glob.js";
import type { FileTree } from "./project-files.js";
import type { Reading } from "./reading.js";

/**
 * The files of the project that match a pattern, relative to its folder. Does not follow links out of the
 * folder, because the search might never end; reports that it skipped them. The library that walks through the folders
 * sees no pattern of the user: see glob.ts.
 */
export async function findMatches(
  pattern: string,
  from: SourceRange,
  { files, collector, steps }: Reading & { readonly steps: MatchBudget },
): Promise<string[]> {
  if (steps.left < 0) return [];
  const folder = folderOfGlob(pattern);
  const names = pattern.split("/");
  const below = folder === "." ? names : names.slice(folder.split("/").length);
  const searching = {
    cwd: path.join(files.root, folder),
    ignore: ["**/node_modules/**", "**/.git/**"],
    dot: below.some((name) => name.startsWith(".")),
    ...(pattern.includes("**") ? {} : { deep: below.length - 1 }),
    ...{ onlyFiles: true, expandDirectories: false },
  };
  const { found, outside, isBegin } = await walkOnce(files, searching);
  steps.left -= found.length * stepsOfFile;
  const matching = found
    .map((file) => path.posix.join(folder, file))
    .filter((file) => !/(?:^|\/)(?:node_modules|\.git)\//.test(file))
    .filter((file) => matchesGlob(file, pattern, steps));
  if (steps.left < 0) {
    const message = `with ${JSON.stringify(pattern.slice(0, 80))}, the patterns take too long to match with the files of the project`;
    collector.error("invalid-pattern", message, from, "use fewer patterns and wildcards");
    return [];
  }
  const [report, where] = isBegin
    ? [collector.error, "through a link"]
    : [collector.warning, "through a link, which is not followed"];
  for (const target of [...outside].sort())
    report("outside-project", `${pattern} leads outside the project folder, to ${target}, ${where}`, from);
  return matching;
}

/** What a walk through a folder finds. */
interface Walk {
  readonly found: readonly string[];
  /** Where links lead that were not followed; `isBegin`: the folder itself is behind one. */
  readonly outside: ReadonlySet<string>;
  readonly isBegin: boolean;
}

/** Walks of each reading: patterns mostly have the same folder, and a deep one takes seconds. */
const walks = new WeakMap<Reading["files"], Map<string, Promise<Walk>>>();

function walkOnce(files: Reading["files"], searching: GlobOptions): Promise<Walk> {
  const known = walks.get(files) ?? new Map<string, Promise<Walk>>();
  walks.set(files, known);
  const key = JSON.stringify(searching);
  const walking = known.get(key) ?? walk(files, searching);
  known.set(key, walking);
  return walking;
}

async function walk(files: Reading["files"], searching: GlobOptions): Promise<Walk> {
  const outside = new Set<string>();
  let isBegin = false;
  const search = async (read: typeof readdir): Promise<Walk> => {
    const found = await glob("**", { ...searching, fs: { readdir: read } });
    return { found, outside, isBegin };
  };
  if (files.tree) return search(toReaddir(files.tree));
  const root = await followLinks(files.root);
  return search(((folder: string, reading: { withFileTypes: true }, done: (...given: unknown[]) => void) =>
    realpath.native(folder, (error, real) => {
      if (error || isInside(root, real)) return readdir(folder, reading, done);
      // Links found during the search arrive resolved; only the starting folder arrives as written.
      isBegin ||= isInside(files.root, folder);
      outside.add(real);
      done(null, []);
    })) as typeof readdir);
}

/** To find a file takes as long as so many steps of matching it. */
const stepsOfFile = 10;

/** Reads the folders of a tree as the search reads those of the disk. */
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
