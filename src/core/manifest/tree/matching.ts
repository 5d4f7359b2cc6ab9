import { type Dirent, existsSync, readdir, realpath, stat } from "node:fs";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { type GlobOptions, glob } from "tinyglobby";
import type { SourceRange } from "../../../base/diagnostics/index.js";
import { followLinks, isInside, toPosixPath } from "../../../base/files/index.js";
import { findGlobFolder, type MatchBudget, matchesGlob, mayContainMatches } from "./glob.js";
import type { FileTree } from "./project-files.js";
import type { Reading } from "./reading.js";

/**
 * Finds the project files that match a pattern, relative to the root. Does not pass the pattern to the library that
 * walks the folders (see glob.ts). Reports symlinks that lead out of the project, but does not follow them, because the
 * search might never end.
 *
 * Also returns matching broken symlinks, pipes and folders, so that opening them reports why they are not files. Reports
 * folders that cannot be read. Otherwise their objects would count as removed.
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
    ...{ onlyFiles: false, expandDirectories: false },
  };
  const { found, unread, outside, isFolderOutside } = await walkOnce(files, options);
  steps.left -= found.length * stepsPerFile;
  const isOwn = (file: string) => !/(?:^|\/)(?:node_modules|\.git)\//.test(file);
  const extension = path.posix.extname(pattern);
  const isMeant = (file: string) => !file.endsWith("/") || (extension && file.endsWith(`${extension}/`));
  const matching = found
    .map((file) => path.posix.join(folder, file))
    .filter((file) => isOwn(file) && isMeant(file))
    .map((file) => file.replace(/\/$/, ""))
    .filter((file) => matchesGlob(file, pattern, steps));
  for (const { name, reason } of unread) {
    if (matching.includes(name) || !isOwn(name) || !mayContainMatches(name, pattern, steps)) continue;
    const message = `${name} cannot be read (${reason}), so ${pattern} does not find all files`;
    collector.error(
      "unreadable-file",
      message,
      from,
      "correct it, or use a pattern that does not lead there",
    );
    collector.incomplete();
  }
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
  /** Paths relative to the starting folder. Folders end with a slash. */
  readonly found: readonly string[];
  readonly unread: readonly UnreadFolder[];
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

/** A folder that cannot be read, or a broken symlink, which may stand for a folder. */
interface UnreadFolder {
  /** Path relative to the root. */
  readonly name: string;
  readonly reason: string;
}

async function walk(files: Reading["files"], options: GlobOptions): Promise<FolderWalk> {
  const search = (fs: GlobOptions["fs"]) => glob("**", { ...options, fs });
  if (files.tree)
    return {
      ...{ found: await search({ readdir: toReaddir(files.tree) }), unread: [] },
      ...{ outside: new Set(), isFolderOutside: false },
    };
  const outside = new Set<string>();
  let isFolderOutside = false;
  const root = await followLinks(files.root);
  const unreadable = new Map<string, NodeJS.ErrnoException>();
  const broken = new Map<string, NodeJS.ErrnoException>();
  /** Symlinks by target, because the search lists a symlink's folder by its target. */
  const links = new Map<string, string>();
  const found = await search({
    readdir: ((folder: string, reading: { withFileTypes: true }, done: (...given: unknown[]) => void) =>
      realpath.native(folder, (error, real) => {
        if (error || isInside(root, real))
          return readdir(folder, reading, (error, entries) => {
            if (error) unreadable.set(links.get(path.resolve(folder)) ?? path.resolve(folder), error);
            done(null, error ? [] : entries.map(toListed));
          });
        // The search calls this with resolved paths, except for its starting folder.
        isFolderOutside ||= isInside(files.root, folder);
        outside.add(real);
        done(null, []);
      })) as typeof readdir,
    realpath: ((link: string, done: (...given: unknown[]) => void) =>
      realpath(link, (error, target) => {
        if (error) broken.set(link, error);
        else links.set(target, link);
        done(null, error ? link : target);
      })) as typeof realpath,
    // Lists a broken symlink as a file.
    stat: ((file: string, done: (...given: unknown[]) => void) =>
      stat(file, (error, facts) => done(null, error ? { isDirectory: () => false } : facts))) as typeof stat,
  });
  const unread: UnreadFolder[] = [];
  const add = (file: string, { code, message }: NodeJS.ErrnoException) =>
    unread.push({
      name: toPosixPath(path.relative(files.root, file)) || ".",
      reason: code === "ENOENT" ? "broken symlink" : (code ?? message),
    });
  for (const [folder, error] of unreadable)
    if (error.code !== "ENOENT" || !(await isMissing(folder))) add(folder, error);
  const hidden = options.dot ? undefined : /(?:^|[\\/])\./;
  for (const [link, error] of broken) {
    const target = await followLinks(link).catch(() => link);
    const isHidden = hidden?.test(path.relative(String(options.cwd), link));
    if (!isHidden && isInside(root, target)) add(link, error);
  }
  return { found, unread, outside, isFolderOutside };
}

/** Returns whether a path does not exist, other than behind a broken symlink. */
async function isMissing(file: string): Promise<boolean> {
  const exists = await lstat(file).then(
    () => true,
    () => false,
  );
  if (exists) return false;
  const folder = path.dirname(file);
  return existsSync(folder) || isMissing(folder);
}

/** Lists pipes, sockets and devices as files, because the search skips them. */
function toListed(entry: Dirent) {
  if (entry.isDirectory() || entry.isSymbolicLink()) return entry;
  return { name: entry.name, isDirectory: () => false, isFile: () => true, isSymbolicLink: () => false };
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
