import path from "node:path";
import { type Git, GitError, listFiles, readObjects } from "../../base/git/index.js";
import type { FileTree } from "../manifest/index.js";

/**
 * Files in a folder at a commit. They are read from git objects without a checkout, so that symlinks, hooks and filters
 * in the commit have no effect.
 *
 * Readers are synchronous, but git is not. Until a file has been loaded, it is reported as missing. {@link
 * CommitTree.readAll} loads all missing files and then repeats the read.
 */
export interface CommitTree extends FileTree {
  /** Paths of all files, relative to the folder. */
  readonly files: readonly string[];
  /** Returns the object id of a file, or the paths and ids of all files in a folder. Undefined for other paths. */
  findObjects(absolute: string): string | readonly string[] | undefined;
  /** Repeats `read` until no file is missing, and returns its result. */
  readAll<Result>(read: () => Result | Promise<Result>): Promise<Result>;
}

/**
 * Opens a folder in a commit. Readers see the folder at `root`, an absolute path.
 *
 * @throws GitError `failed` if the commit is missing, as in a shallow clone, or `too-large`.
 */
export async function openCommitTree(
  git: Git,
  commit: string,
  folder: string,
  root: string,
): Promise<CommitTree> {
  const listed = await listFiles(git, commit, folder, { sizes: true, maxBytes: maxListBytes });
  // Skips symlinks whose target exceeds the maximum path length.
  const readableFiles = listed.filter(({ isLink, size = 0 }) => !isLink || size <= maxPathLength);
  const blobs = new Map(readableFiles.map((file) => [file.path, file]));
  const folders = indexFolders(blobs.keys());
  const contents = new Map<string, Buffer>();
  const sizes = new Map(readableFiles.map(({ id, size = 0 }) => [id, size]));
  let total = 0;
  const createTooLargeError = (why: string) =>
    new GitError(
      "too-large",
      "git cat-file",
      `The project files in commit ${commit.slice(0, 12)} ${why}. Split the project.`,
    );
  /** Loads blob contents by id. */
  const read = async (ids: readonly string[]): Promise<void> => {
    const wanted = [...new Set(ids)].filter((id) => !contents.has(id));
    for (const id of wanted) total += sizes.get(id) ?? 0;
    if (total > maxTotalBytes)
      throw createTooLargeError(`are larger than ${maxTotalBytes / 1_000_000} MB in total`);
    for (const object of await readObjects(git, wanted)) if (object) contents.set(object.id, object.content);
  };
  const links = [...blobs.values()].filter(({ isLink }) => isLink).map(({ id }) => id);
  await read(links);
  const missed = new Set<string>();

  const readBeside = new Set<string>();
  /**
   * Marks a file as missing, together with small files of the same type in its folder. This saves rounds, because each
   * round starts a git process.
   */
  const recordMissing = (file: string, own: string): void => {
    missed.add(own);
    const { dir, ext } = path.posix.parse(file);
    const folder = dir || ".";
    if (readBeside.has(folder + ext)) return;
    readBeside.add(folder + ext);
    let left = maxPrefetchBytes;
    for (const name of folders.get(folder) ?? []) {
      const { id, size = 0 } = blobs.get(path.posix.join(folder, name)) ?? { id: own };
      if (path.posix.extname(name) !== ext || size > left) continue;
      left -= size;
      missed.add(id);
    }
  };
  const toRelativePath = (absolute: string) => path.relative(root, absolute).split(path.sep).join("/");
  /** Resolves the links in a path. The result is relative to the root, and may lead outside it. */
  const follow = (file: string): string => {
    let at = "";
    let rest = path.posix.normalize(file).split("/");
    for (let steps = 0; rest.length > 0; steps++) {
      if (steps > maxLinkSteps) throw createSystemError("ELOOP", file);
      const [name = "", ...others] = rest;
      at = path.posix.join(at, name);
      rest = others;
      if (at.startsWith("..")) return path.posix.join(at, ...rest);
      const blob = blobs.get(at);
      if (!blob?.isLink) continue;
      const target = contents.get(blob.id)?.toString("utf8") ?? "";
      if (path.posix.isAbsolute(target)) return "..";
      rest = [...path.posix.join(path.posix.dirname(at), target).split("/"), ...rest];
      at = "";
    }
    return at === "" ? "." : at;
  };
  /** Returns the path itself if its links lead in a circle. */
  const followIfPossible = (file: string): string => {
    try {
      return follow(file);
    } catch {
      return file;
    }
  };
  return {
    files: [...blobs].filter(([, { isLink }]) => !isLink).map(([file]) => file),
    findObjects(absolute) {
      const real = follow(toRelativePath(absolute));
      const blob = blobs.get(real);
      if (blob || !folders.has(real)) return blob?.id;
      const isBelow = (file: string) => real === "." || file.startsWith(`${real}/`);
      return [...blobs].flatMap(([file, { id }]) => (isBelow(file) ? `${file} ${id}` : []));
    },
    async readAll(use) {
      for (let looks = 0; looks < maxRounds; looks++) {
        const result = await use();
        if (missed.size === 0) return result;
        const wanted = [...missed];
        missed.clear();
        await read(wanted);
      }
      throw createTooLargeError(`have more than ${maxRounds} levels of includes`);
    },
    realpath(absolute) {
      const real = follow(toRelativePath(absolute));
      const isThere = real.startsWith("..") || real === "." || folders.has(real) || blobs.has(real);
      if (!isThere) throw createSystemError("ENOENT", absolute);
      return path.join(root, real);
    },
    readFile(absolute) {
      const real = follow(toRelativePath(absolute));
      const blob = blobs.get(real);
      if (!blob) throw createSystemError(folders.has(real) ? "folder" : "ENOENT", absolute);
      if ((blob.size ?? 0) > maxFileBytes) throw createSystemError("too-large", absolute);
      const content = contents.get(blob.id);
      if (content) return content;
      recordMissing(real, blob.id);
      throw createSystemError("ENOENT", absolute);
    },
    entries(absolute) {
      const folder = follow(toRelativePath(absolute));
      return [...(folders.get(folder) ?? [])].flatMap((name) => {
        const file = path.posix.join(folder, name);
        if (!blobs.get(file)?.isLink) return [{ name, isFolder: folders.has(file) }];
        // Omits symlinks to folders, because they could point back to a parent folder, and symlinks that lead outside.
        const target = followIfPossible(file);
        return folders.has(target) || target.startsWith("..") ? [] : [{ name, isFolder: false }];
      });
    },
  };
}

/** Maximum size of a file, in bytes. Enough for a state, the largest file that is read. */
const maxFileBytes = 64 * 1024 * 1024;
/** Maximum size of all files together. */
const maxTotalBytes = 200_000_000;
/** Maximum total size of the neighboring files that are loaded along with a missing file. */
const maxPrefetchBytes = 4_000_000;
/** Maximum size of the file list, enough for half a million files. */
const maxListBytes = 64_000_000;
const maxPathLength = 4_096;
/** Maximum number of rounds. Each round loads the files that the previous round's files include. */
const maxRounds = 20;

/** Maximum number of steps to resolve a path, far above any real path. */
const maxLinkSteps = 1_000;

/** Groups file and folder names by folder (the root is "."). */
function indexFolders(files: Iterable<string>): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>([[".", new Set()]]);
  for (const file of files) {
    for (let at = file; at !== "."; at = path.posix.dirname(at)) {
      const parent = path.posix.dirname(at);
      const names = folders.get(parent) ?? new Set();
      folders.set(parent, names);
      if (names.has(path.posix.basename(at))) break;
      names.add(path.posix.basename(at));
    }
  }
  return folders;
}

function createSystemError(code: string, file: string): Error {
  return Object.assign(new Error(`${code}: ${file}`), { code });
}
