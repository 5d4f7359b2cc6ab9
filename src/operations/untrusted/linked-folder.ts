import { realpath } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { isInside } from "../../base/files/index.js";
import type { Repository } from "../../base/git/index.js";

/**
 * Checks that a change adds no link that leads to the project's folder: in place of another project's folder, it would have that one
 * planned with these settings. Looks at the links that are checked out, because only they can have led here.
 *
 * @throws UsageError `linked-folder`; GitError
 */
export async function assertNoNewLink(
  { root, text }: Repository,
  { base, folder }: { readonly base: string; readonly folder: string },
): Promise<void> {
  const real = await realpath(folder);
  const listed = await text(["-C", root, "ls-files", "--stage", "-z"]);
  for (const [, id, file = ""] of listed.matchAll(/(?<=^|\0)120000 ([0-9a-f]+) \d\t([^\0]+)/g)) {
    const target = await realpath(path.join(root, file)).catch(() => undefined);
    if (target === undefined || !isInside(target, real)) continue;
    const before = await text(["ls-tree", "-z", "--full-tree", base, "--", file]);
    if (before.startsWith(`120000 blob ${id}\t`)) continue;
    throw new UsageError(
      "linked-folder",
      `${JSON.stringify(file)} is a link of this change and leads to the project folder ${folder}, so it may stand for another project. Someone with write access must add it.`,
    );
  }
}
