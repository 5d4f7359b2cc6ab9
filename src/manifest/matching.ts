import { readdir, realpath } from "node:fs";
import { glob } from "tinyglobby";
import type { SourceRange } from "../diagnostics/index.js";
import { followLinks, isInside } from "../files/index.js";
import type { FileTree } from "./project-files.js";
import type { Reading } from "./reading.js";

/**
 * The files of the project that match a pattern, relative to its folder. Does not follow links out of the
 * folder, because the search might never end; reports that it skipped them.
 */
export async function matching(
  pattern: string,
  from: SourceRange,
  { files, collector }: Reading,
  options: { readonly ignore?: readonly string[]; readonly dot?: boolean },
): Promise<string[]> {
  const { ignore = [], dot = false } = options;
  const searching = { cwd: files.root, ignore, dot, onlyFiles: true, expandDirectories: false };
  if (files.tree) return glob(pattern, { ...searching, fs: { readdir: readdirOf(files.tree) } });
  const root = await followLinks(files.root);
  const outside = new Set<string>();
  let isBegin = false;
  const readInside = ((
    folder: string,
    reading: { withFileTypes: true },
    done: (...given: unknown[]) => void,
  ) =>
    realpath.native(folder, (error, real) => {
      if (error || isInside(root, real)) return readdir(folder, reading, done);
      // Links found during the search arrive resolved; only the starting folder arrives as written.
      isBegin ||= isInside(files.root, folder);
      outside.add(real);
      done(null, []);
    })) as typeof readdir;
  const found = await glob(pattern, { ...searching, fs: { readdir: readInside } });
  const [report, where] = isBegin
    ? [collector.error, "through a link"]
    : [collector.warning, "through a link, which is not followed"];
  for (const target of [...outside].sort())
    report("outside-project", `${pattern} leads outside the project folder, to ${target}, ${where}`, from);
  return found;
}

/** Reads the folders of a tree as the search reads those of the disk. */
function readdirOf(tree: FileTree): typeof readdir {
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
