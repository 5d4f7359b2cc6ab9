import { statSync } from "node:fs";
import path from "node:path";
import { GitError } from "../../base/git/index.js";
import { repositoryAt } from "../../core/history/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { isExec, isFile } from "../../core/secrets/index.js";
import type { Runtime } from "../runtime/runtime.js";

/**
 * Finds objects whose secret values come from files of the repository: a tracked `!file`, or an `!exec` with a tracked script. Such a
 * value changes with a commit, so it is not a rotation, and needs the review of that commit.
 *
 * @param addresses Objects to look at.
 * @returns the file by address. If git cannot read the checkout, every file counts as tracked.
 */
export async function findRepositoryValues(
  { host, signal }: Runtime,
  { root, declarations }: Pick<Manifest, "root" | "declarations">,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const named = declarations
    .filter(({ address }) => addresses.includes(address))
    .flatMap(({ address, sources }) =>
      Object.values(sources).flatMap((source) =>
        (isFile(source) ? [source.path] : isExec(source) ? source.command : []).map((file) => ({
          address,
          file,
        })),
      ),
    )
    // Words of a command that are no files.
    .filter(
      ({ file }) =>
        !file.startsWith("-") && statSync(path.resolve(root, file), { throwIfNoEntry: false })?.isFile(),
    );
  if (named.length === 0) return new Map();
  try {
    const git = await repositoryAt(root, { environment: host.environment, signal });
    if (!git) return new Map();
    const inside = named.filter(
      ({ file }) => !path.relative(git.root, path.resolve(root, file)).startsWith(".."),
    );
    const files = [...new Set(inside.map(({ file }) => file))];
    const listed = await git.text(["ls-files", "-z", "--", ...files]);
    const tracked = new Set(
      listed
        .split("\0")
        .filter(Boolean)
        .map((file) => path.normalize(file)),
    );
    return new Map(
      inside
        .filter(({ file }) => tracked.has(path.relative(root, path.resolve(root, file))))
        .map(({ address, file }) => [address, file]),
    );
  } catch (error) {
    if (!(error instanceof GitError) || error.code === "cancelled") throw error;
    return new Map(named.map(({ address, file }) => [address, file]));
  }
}
