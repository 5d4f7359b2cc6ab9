import { realpath } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { isInside } from "../../base/files/index.js";
import type { Repository } from "../../base/git/index.js";

/**
 * Rejects a change that adds a symlink pointing to the project folder. The symlink could replace another project's
 * folder, so that project would be planned with this project's settings. Only checked-out symlinks can cause this.
 *
 * @throws UsageError `linked-folder`; GitError
 */
export async function assertNoNewLink(
  { root, readText }: Repository,
  { base, folder }: { readonly base: string; readonly folder: string },
): Promise<void> {
  const real = await realpath(folder);
  const listed = await readText(["-C", root, "ls-files", "--stage", "-z"]);
  for (const [, id, file = ""] of listed.matchAll(/(?<=^|\0)120000 ([0-9a-f]+) \d\t([^\0]+)/g)) {
    const target = await realpath(path.join(root, file)).catch(() => undefined);
    if (target === undefined || !isInside(target, real)) continue;
    const before = await readText(["ls-tree", "-z", "--full-tree", base, "--", file]);
    if (before.startsWith(`120000 blob ${id}\t`)) continue;
    throw new UsageError(
      "linked-folder",
      `This change adds the symlink ${JSON.stringify(file)} to the project folder ${folder}. The symlink may replace another project. Ask someone with write access to add it.`,
    );
  }
}
