import type { Git } from "./program.js";

/** Returns whether a commit equals `of` or is an ancestor of it. False if the clone lacks either commit. */
export async function isAncestor(
  git: Pick<Git, "run">,
  commit: string,
  of: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", commit, of];
  return (await git.run(args, { exits: [0, 1, 128], environment })).exit === 0;
}

export async function isShallow(git: Pick<Git, "readText">): Promise<boolean> {
  return (await git.readText(["rev-parse", "--is-shallow-repository"])) === "true";
}

/** Fetches commits or refs from a remote, without updating or creating any ref. */
export async function fetchQuietly(
  git: Pick<Git, "run">,
  remote: string,
  wanted: readonly string[],
  options: readonly string[] = [],
): Promise<void> {
  const quiet = ["--quiet", "--no-tags", "--no-write-fetch-head", "--refmap=", "--no-auto-maintenance"];
  await git.run(["fetch", ...quiet, ...options, "--", remote, ...wanted]);
}
