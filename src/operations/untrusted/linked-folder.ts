import { realpath } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { isInside } from "../../base/files/index.js";
import type { Repository } from "../../base/git/index.js";

/** In bytes; far more than the changes of a pull request. */
const longestList = 20_000_000;

/**
 * Checks that a change adds no link that leads to the project's folder: in place of another project's folder, it would have that one
 * planned with these settings.
 *
 * @throws UsageError `linked-folder`; GitError
 */
export async function assertNoNewLink(
  repository: Repository,
  { base, head, folder }: { readonly base: string; readonly head: string; readonly folder: string },
): Promise<void> {
  const options = ["-r", "-z", "--raw", "--no-renames", "--no-abbrev"];
  const listed = await repository.text(["diff-tree", ...options, base, head], { maxBytes: longestList });
  const real = await realpath(folder);
  for (const [, mode, file = ""] of listed.matchAll(/:\d+ (\d+) \S+ \S+ [A-Z]\d*\0([^\0]+)\0/g)) {
    if (mode !== "120000") continue;
    const target = await realpath(path.join(repository.root, file)).catch(() => undefined);
    if (target === undefined || !isInside(target, real)) continue;
    throw new UsageError(
      "linked-folder",
      `${JSON.stringify(file)} is a link of this change and leads to the project folder ${folder}, so it may stand for another project. Someone with write access must add it.`,
    );
  }
}
