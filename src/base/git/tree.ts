import type { Git } from "./program.js";

export interface TreeFile {
  /** Path relative to the listed folder, with `/`. */
  readonly path: string;
  readonly id: string;
  /** File mode in git's notation, such as "100644". */
  readonly mode: string;
  readonly isLink: boolean;
  /** Size in bytes. Undefined unless requested. */
  readonly size: number | undefined;
}

/**
 * Lists the files of a commit below a folder ("" for all), without submodules. Requesting sizes is slow, because git
 * then opens every file and, in a partial clone, fetches it.
 *
 * @throws GitError `failed` if the commit is missing, as in a shallow clone; `too-large` if the list is longer than
 * `maxBytes`, because a few git objects can form a tree of billions of files.
 */
export async function listFiles(
  git: Pick<Git, "readText">,
  commit: string,
  folder: string,
  { sizes = false, ...limits }: { readonly sizes?: boolean; readonly maxBytes?: number } = {},
): Promise<TreeFile[]> {
  const start = folder === "" ? "" : `${folder}/`;
  const only = start === "" ? [] : ["--", start];
  const long = sizes ? ["-l"] : [];
  const listed = await git.readText(["ls-tree", "-r", "-z", "--full-tree", ...long, commit, ...only], limits);
  return listed.split("\0").flatMap((line) => {
    const [, mode, id, size, path] = /^(\d+) blob ([0-9a-f]+)(?: +(\d+))?\t(.+)$/s.exec(line) ?? [];
    if (mode === undefined || id === undefined || path === undefined) return [];
    const isLink = mode === "120000";
    const bytes = size === undefined ? undefined : Number(size);
    return [{ path: path.slice(start.length), id, mode, isLink, size: bytes }];
  });
}
