import { readdir, realpath } from "node:fs";
import path from "node:path";
import { type GlobOptions, glob } from "tinyglobby";
import type { SourceRange } from "../../../base/diagnostics/index.js";
import { followLinks, isInside } from "../../../base/files/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import { folderOfGlob, type Glob, isGlob, type MatchBudget, matchesGlob, parseGlob } from "./glob.js";
import type { Node } from "./node.js";
import type { FileTree } from "./project-files.js";
import type { Reading } from "./reading.js";
import { readTextList } from "./to-plain.js";

/**
 * The files of the project that match a pattern, relative to its folder. Does not follow links out of the
 * folder, because the search might never end; reports that it skipped them. The library that walks through the folders
 * sees no pattern of the user: see glob.ts.
 */
export async function findMatches(
  pattern: string,
  from: SourceRange,
  { files, collector, steps }: Reading & { readonly steps: MatchBudget },
  options: { readonly except?: readonly Glob[]; readonly dot?: boolean },
): Promise<string[]> {
  const { except = [], dot = false } = options;
  const wanted = readPattern(pattern, from, collector);
  if (!wanted || steps.left < 0) return [];
  const folder = folderOfGlob(pattern);
  const names = pattern.split("/");
  const below = folder === "." ? names : names.slice(folder.split("/").length);
  const searching = {
    cwd: path.join(files.root, folder),
    ignore: dot ? [] : ["**/node_modules/**", "**/.git/**"],
    dot: dot || below.some((name) => name.startsWith(".")),
    ...(pattern.includes("**") ? {} : { deep: below.length - 1 }),
    ...{ onlyFiles: true, expandDirectories: false },
  };
  const { found, outside, isBegin } = await walkOnce(files, searching);
  steps.left -= found.length * stepsOfFile;
  const matching = found
    .map((file) => path.posix.join(folder, file))
    .filter((file) => dot || !/(?:^|\/)(?:node_modules|\.git)\//.test(file))
    .filter((file) => matchesGlob(file, wanted, { dot, steps }))
    .filter((file) => !except.some((other) => matchesGlob(file, other, { dot: true, steps })));
  if (steps.left < 0) {
    const message = `with ${shortened(pattern)}, the patterns take too long to match with the files of the project`;
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

/** Allows the files that `allow_files` of the main file lists: paths and patterns, relative to the project folder. */
export async function allowFiles(
  list: Node | undefined,
  reading: Reading & { readonly steps: MatchBudget },
): Promise<void> {
  const { files, collector } = reading;
  for (const { text, range } of readTextList(list, "allow_files", collector, "allow_files: [.env.example]")) {
    const inProject = files.resolve(text, range);
    if (inProject === undefined) continue;
    // A pattern may also be a file name: `a?.env`.
    files.allowed.add(inProject);
    if (!isGlob(inProject)) continue;
    const found = await findMatches(inProject, range, reading, { dot: true });
    for (const file of found) files.allowed.add(file);
  }
}

function shortened(pattern: string): string {
  return JSON.stringify(pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern);
}

/** To find a file takes as long as so many steps of matching it. */
const stepsOfFile = 10;

/** A pattern as it is written; reports one that is refused. */
export function readPattern(
  pattern: string,
  from: SourceRange,
  collector: DiagnosticsCollector,
): Glob | undefined {
  const glob = parseGlob(pattern);
  if (typeof glob !== "string") return glob;
  const hint = "use *, ? and **, or name the files in several lines";
  collector.error("invalid-pattern", `the pattern ${shortened(pattern)} ${glob}`, from, hint);
  return undefined;
}

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
