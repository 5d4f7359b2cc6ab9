import path from "node:path";
import { type Git, GitError, listFiles, readObjects } from "../../base/git/index.js";
import type { FileTree } from "../manifest/index.js";

/**
 * The files of a folder as a commit has them. Nothing is checked out: files are read from git's objects, so no link,
 * hook or filter of the commit does anything.
 *
 * Whoever reads is synchronous and git is not: a file that was not loaded yet is missing at first, and {@link CommitTree.readAll}
 * fetches all files that were missed, and repeats the reading until none is.
 */
export interface CommitTree extends FileTree {
  /** The paths of all files, relative to the folder. */
  readonly files: readonly string[];
  /** What `read` returns when it misses no file. */
  readAll<Result>(read: () => Result | Promise<Result>): Promise<Result>;
}

/**
 * Lists the files of a folder of a commit; `root` is the absolute path that the folder has for readers.
 *
 * @throws GitError `failed` if the commit is not there, as in a shallow clone; `too-large`.
 */
export async function commitTree(
  git: Git,
  commit: string,
  folder: string,
  root: string,
): Promise<CommitTree> {
  const listed = await listFiles(git, commit, folder, { sizes: true, maxBytes: longestList });
  // A link that is longer than any path leads nowhere.
  const usable = listed.filter(({ isLink, size = 0 }) => !isLink || size <= longestPath);
  const blobs = new Map(usable.map((file) => [file.path, file]));
  const folders = indexFolders(blobs.keys());
  const contents = new Map<string, Buffer>();
  const sizes = new Map(usable.map(({ id, size = 0 }) => [id, size]));
  let total = 0;
  const tooLarge = (why: string) =>
    new GitError(
      "too-large",
      "git cat-file",
      `The files of commit ${commit.slice(0, 12)} that the project names ${why}. Split the project.`,
    );
  /** Adds the contents of blobs by their ids. */
  const read = async (ids: readonly string[]): Promise<void> => {
    const wanted = [...new Set(ids)].filter((id) => !contents.has(id));
    for (const id of wanted) total += sizes.get(id) ?? 0;
    if (total > longestTogether) throw tooLarge(`have more than ${longestTogether / 1_000_000} MB together`);
    for (const object of await readObjects(git, wanted)) if (object) contents.set(object.id, object.content);
  };
  const links = [...blobs.values()].filter(({ isLink }) => isLink).map(({ id }) => id);
  await read(links);
  const missed = new Set<string>();

  const readBeside = new Set<string>();
  /** Misses a file, and the small ones of its kind beside it: partials name each other, and each would be another run of git. */
  const miss = (file: string, own: string): void => {
    missed.add(own);
    const { dir, ext } = path.posix.parse(file);
    const folder = dir || ".";
    if (readBeside.has(folder + ext)) return;
    readBeside.add(folder + ext);
    let left = longestBeside;
    for (const name of folders.get(folder) ?? []) {
      const { id, size = 0 } = blobs.get(path.posix.join(folder, name)) ?? { id: own };
      if (path.posix.extname(name) !== ext || size > left) continue;
      left -= size;
      missed.add(id);
    }
  };
  const relativeTo = (absolute: string) => path.relative(root, absolute).split(path.sep).join("/");
  /** The path behind links, relative to the root; it may lead out of it. */
  const follow = (file: string): string => {
    let at = "";
    let rest = path.posix.normalize(file).split("/");
    for (let steps = 0; rest.length > 0; steps++) {
      if (steps > mostSteps) throw systemError("ELOOP", file);
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
  return {
    files: [...blobs].filter(([, { isLink }]) => !isLink).map(([file]) => file),
    async readAll(use) {
      for (let looks = 0; looks < mostLooks; looks++) {
        const result = await use();
        if (missed.size === 0) return result;
        const wanted = [...missed];
        missed.clear();
        await read(wanted);
      }
      throw tooLarge(`are in more than ${mostLooks} folders, of which each names the next`);
    },
    realpath(absolute) {
      const real = follow(relativeTo(absolute));
      const isThere = real.startsWith("..") || real === "." || folders.has(real) || blobs.has(real);
      if (!isThere) throw systemError("ENOENT", absolute);
      return path.join(root, real);
    },
    readFile(absolute) {
      const real = follow(relativeTo(absolute));
      const blob = blobs.get(real);
      if (!blob) throw systemError(folders.has(real) ? "folder" : "ENOENT", absolute);
      if ((blob.size ?? 0) > longestFile) throw systemError("too-large", absolute);
      const content = contents.get(blob.id);
      if (content) return content;
      miss(real, blob.id);
      throw systemError("ENOENT", absolute);
    },
    entries(absolute) {
      const folder = follow(relativeTo(absolute));
      return [...(folders.get(folder) ?? [])].flatMap((name) => {
        const file = path.posix.join(folder, name);
        if (!blobs.get(file)?.isLink) return [{ name, isFolder: folders.has(file) }];
        // A link to a folder could lead back to one that contains it.
        return blobs.has(follow(file)) ? [{ name, isFolder: false }] : [];
      });
    },
  };
}

/** In bytes. A state is the longest file that anybody reads. */
const longestFile = 64 * 1024 * 1024;
/** Length of all files that are read. */
const longestTogether = 200_000_000;
/** Length of those that are read because they are beside one that is. */
const longestBeside = 4_000_000;
/** Length of the list of all files: enough for half a million of them. */
const longestList = 64_000_000;
const longestPath = 4_096;
/** Each look at the files of a project finds those that the files of the one before name. */
const mostLooks = 20;

/** Steps of one path through links: more than any real path has. */
const mostSteps = 1_000;

/** The names in each folder; the root is ".". */
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

function systemError(code: string, file: string): Error {
  return Object.assign(new Error(`${code}: ${file}`), { code });
}
