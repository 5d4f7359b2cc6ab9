import { readdir, realpath } from "node:fs";
import { glob } from "tinyglobby";
import type { SourceRange } from "../diagnostics/index.js";
import { followLinks, isInside } from "../files/index.js";
import type { Reading } from "./reading.js";

/**
 * The files of the project that a pattern matches, relative to its folder. No link leads the search out of it, where it
 * could go on for ever; that it would have is told.
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
      // Links on the way are given as what they lead to, and only where the search begins as they are written.
      isBegin ||= isInside(files.root, folder);
      outside.add(real);
      done(null, []);
    })) as typeof readdir;
  const { ignore = [], dot = false } = options;
  const found = await glob(pattern, {
    ...{ cwd: files.root, ignore, dot, onlyFiles: true, expandDirectories: false },
    fs: { readdir: readInside },
  });
  const [report, told] = isBegin
    ? [collector.error, "through a link"]
    : [collector.warning, "through a link, which is not followed"];
  for (const target of [...outside].sort())
    report("outside-project", `${pattern} leads outside of the project folder, to ${target}, ${told}`, from);
  return found;
}
