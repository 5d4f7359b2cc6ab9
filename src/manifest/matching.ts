import { readdir, realpath } from "node:fs";
import { glob } from "tinyglobby";
import type { SourceRange } from "../diagnostics/index.js";
import { followLinks, isInside } from "../files/index.js";
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
  const { ignore = [], dot = false } = options;
  const found = await glob(pattern, {
    ...{ cwd: files.root, ignore, dot, onlyFiles: true, expandDirectories: false },
    fs: { readdir: readInside },
  });
  const [report, where] = isBegin
    ? [collector.error, "through a link"]
    : [collector.warning, "through a link, which is not followed"];
  for (const target of [...outside].sort())
    report("outside-project", `${pattern} leads outside the project folder, to ${target}, ${where}`, from);
  return found;
}
