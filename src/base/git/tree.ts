import type { Git } from "./program.js";

export interface TreeFile {
  /** Relative to the folder that was listed, with `/`. */
  readonly path: string;
  readonly id: string;
  /** As git writes it: "100644". */
  readonly mode: string;
  readonly isLink: boolean;
  /** In bytes; undefined unless it was asked for. */
  readonly size: number | undefined;
}

/**
 * The files of a commit in a folder ("" for all) and in those below it; no submodules. Sizes take time: git opens
 * every file, and in a partial clone it fetches each.
 *
 * @throws GitError `failed` if the commit is not there, as in a shallow clone; `too-large` if the list is longer than
 * `maxBytes`: a few objects can make a tree of billions of files.
 */
export async function listFiles(
  git: Pick<Git, "text">,
  commit: string,
  folder: string,
  { sizes = false, ...limits }: { readonly sizes?: boolean; readonly maxBytes?: number } = {},
): Promise<TreeFile[]> {
  const start = folder === "" ? "" : `${folder}/`;
  const only = start === "" ? [] : ["--", start];
  const long = sizes ? ["-l"] : [];
  const listed = await git.text(["ls-tree", "-r", "-z", "--full-tree", ...long, commit, ...only], limits);
  return listed.split("\0").flatMap((line) => {
    const [, mode, id, size, path] = /^(\d+) blob ([0-9a-f]+)(?: +(\d+))?\t(.+)$/s.exec(line) ?? [];
    if (mode === undefined || id === undefined || path === undefined) return [];
    const isLink = mode === "120000";
    const bytes = size === undefined ? undefined : Number(size);
    return [{ path: path.slice(start.length), id, mode, isLink, size: bytes }];
  });
}
