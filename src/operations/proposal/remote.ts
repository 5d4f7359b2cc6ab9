import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import {
  fetchQuietly,
  type Git,
  type GitSetting,
  isCommitId,
  isRefName,
  openGit,
  openRepository,
  readGitSettings,
} from "../../base/git/index.js";
import type { Runtime } from "../runtime/runtime.js";

/*
 * Reads branches of the remote and creates commits for it, without changing the user's working tree, index, refs or
 * objects. Fetched and new objects go into a temporary folder. All settings come from the user's repository, including
 * the remote and the credentials.
 */

/** The user's repository with a temporary folder for additional objects. */
export interface Remote extends Git {
  /** Name of the git remote. */
  readonly name: string;
  /** Project folder in the repository, separated by `/` and without a trailing `/`. "" at the root. */
  readonly prefix: string;
  /** Working tree root. */
  readonly root: string;
  readonly settings: readonly GitSetting[];
  /** Temporary folder, removed afterward. */
  readonly temporary: string;
}

/** Opens a project's repository while `use` runs. */
export async function withRemote<Result>(
  { host, signal }: Runtime,
  folder: string,
  name: string,
  use: (remote: Remote) => Promise<Result>,
): Promise<Result> {
  const options = { folder, environment: host.environment, signal };
  const repository = await openRepository(options);
  const { prefix, root, commonFolder } = repository;
  const settings = await readGitSettings(repository);
  const config = pickSettings(name, settings);
  const temporary = await mkdtemp(path.join(tmpdir(), "avatarops-proposal-"));
  try {
    const objects = path.join(temporary, "objects");
    await mkdir(objects);
    const variables = {
      ...repository.variables,
      GIT_OBJECT_DIRECTORY: objects,
      // Without quotes, a colon in the path would separate two folders.
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(path.join(commonFolder, "objects")),
      GIT_INDEX_FILE: path.join(temporary, "index"),
    };
    const git = await openGit({ ...options, config, variables });
    const { run, text: readText } = { run: git.run.bind(git), text: git.readText.bind(git) };
    return await use({ name, prefix, root, settings, temporary, folder: git.folder, run, readText });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * A temporary remote with the same URL and no fetch refspec. With the user's remote, git would update its
 * remote-tracking branches to commits that the repository lacks.
 */
const alias = "avatarops-proposal";
const copied = ["url", "pushurl", "proxy", "proxyauthmethod", "uploadpack", "receivepack"];

function pickSettings(name: string, settings: readonly GitSetting[]): GitSetting[] {
  const found = copied.flatMap((setting): GitSetting[] => {
    const first = settings.find(([key]) => key === `remote.${name}.${setting}`);
    return first ? [[`remote.${alias}.${setting}`, first[1]]] : [];
  });
  if (found[0]?.[0] === `remote.${alias}.url`) return found;
  throw new UsageError(
    "no-remote",
    `The remote "${name}" does not exist. Run \`git remote\` to list the remotes, then choose one with --remote.`,
  );
}

/** Remote branches of a pull request. */
export interface Branches {
  readonly base: string;
  /** Base branch tip. */
  readonly baseCommit: string;
  /** Head branch tip, or undefined if it does not exist. */
  readonly tip: string | undefined;
}

/**
 * Fetches both branches. Without a base, uses the remote's default branch.
 *
 * @throws GitError; UsageError if the base branch does not exist.
 */
export async function readBranches(
  remote: Remote,
  { base: given, head }: { readonly base: string | undefined; readonly head: string },
): Promise<Branches> {
  for (const branch of [given, head])
    if (branch !== undefined && !isRefName(`refs/heads/${branch}`))
      throw new UsageError("usage", `"${branch}" is not a valid branch name.`);
  const names = ["HEAD", `refs/heads/${head}`, ...(given === undefined ? [] : [`refs/heads/${given}`])];
  const lines = (await remote.readText(["ls-remote", "--symref", "--", alias, ...names])).split("\n");
  const refs = new Map(lines.map((line) => line.split("\t").toReversed() as [string, string]));
  const symbolic = lines.map((line) => /^ref: refs\/heads\/(.+)\tHEAD$/.exec(line)?.[1]);
  const base = given ?? symbolic.find((name) => name !== undefined);
  if (base === undefined)
    throw new UsageError("no-base", `${remote.name} has no default branch. Choose the base with --base.`);
  const baseCommit = refs.get(given === undefined ? "HEAD" : `refs/heads/${base}`) ?? "";
  const tip = refs.get(`refs/heads/${head}`);
  if (!isCommitId(baseCommit))
    throw new UsageError("no-base", `${remote.name} has no branch "${base}". Choose the base with --base.`);
  if (base === head)
    throw new UsageError(
      "usage",
      `The branch "${head}" cannot be proposed to itself. Choose another branch with --branch.`,
    );
  await fetch(remote, tip === undefined ? [baseCommit] : [baseCommit, tip]);
  return { base, baseCommit, tip };
}

/** Fetches missing commits without updating or creating refs. */
async function fetch(remote: Remote, wanted: readonly string[]): Promise<void> {
  const listed = await remote.readText(["cat-file", "--batch-check"], { input: `${wanted.join("\n")}\n` });
  const missing = new Set(listed.split("\n").map((line) => line.replace(/ missing$/, "")));
  const commits = wanted.filter((commit) => missing.has(commit));
  if (commits.length === 0) return;
  await fetchQuietly(remote, alias, commits);
}

/**
 * Moves, creates or deletes a branch on the remote, unless it moved in the meantime. Returns whether the branch is now
 * at the requested commit, even if the response was lost.
 *
 * @throws GitError if the remote cannot be reached, or rejects the push for another reason.
 */
export async function moveBranch(
  remote: Remote,
  branch: string,
  { from = "", to = "" }: { readonly from?: string | undefined; readonly to?: string | undefined },
): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  const lease = [`--force-with-lease=${ref}:${from}`, "--quiet", "--porcelain"];
  try {
    // A push must not be cancelled half-way.
    await remote.run(["push", ...lease, "--", alias, `${to}:${ref}`], { signal: null });
    return true;
  } catch (error) {
    const now = await remote.readText(["ls-remote", "--", alias, ref], { signal: null }).catch(() => {
      throw error;
    });
    const line = now.split("\n").find((one) => one.endsWith(`\t${ref}`));
    const commit = line?.split("\t")[0] ?? "";
    if (commit === to) return true;
    if (commit === from) throw error;
    return false;
  }
}
