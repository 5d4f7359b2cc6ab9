import { mkdtempSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { type Git, type GitOptions, isCommitId, openGit, plainUrl } from "../../base/git/index.js";
import { isRunning } from "../../core/state/index.js";

/** What is followed. */
export interface FollowedBranch {
  /** As git takes it; a local path must be absolute. Without credentials. */
  readonly url: string;
  /** The name of the branch, checked with `isRefName`. */
  readonly branch: string;
}

/** The files of one commit. */
export interface Checkout {
  readonly commit: string;
  /** The root of the working tree. */
  readonly folder: string;
}

/**
 * Checkouts of the end of a branch, each a shallow clone in a folder of its own: nothing that an earlier one left, or
 * that died half-way, is in the way of the next one, and the branch may be pushed by force. Submodules are left out. The
 * folder of `options` must exist, and be for nothing else.
 */
export function openCheckouts(followed: FollowedBranch, options: GitOptions) {
  const { url, branch } = followed;
  let folders: readonly string[] = [];
  let opened: Git | undefined;

  async function fill(git: Git): Promise<string> {
    // No templates: they may bring hooks and settings.
    await git.run(["init", "--quiet", "--template="]);
    // By this name the files refer to the repository, e.g. in `state: git+refs://origin/…`.
    await git.run(["remote", "add", "--", "origin", url]);
    const tracked = `refs/remotes/origin/${branch}`;
    const refspec = `+refs/heads/${branch}:${tracked}`;
    const quietly = ["--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"];
    await git.run(["fetch", ...quietly, "origin", refspec]);
    const commit = await git.text(["rev-parse", "--verify", `${tracked}^{commit}`]);
    await git.run(["checkout", "--quiet", "--detach", commit]);
    return commit;
  }

  return {
    /**
     * The commit at the end of the branch now.
     *
     * @throws GitError; Error with the code `branch-missing`.
     */
    async head(): Promise<string> {
      opened ??= await openGit(options);
      const ref = `refs/heads/${branch}`;
      const listed = await opened.text(["ls-remote", "--", url, ref]);
      const commits = listed.split("\n").map((line) => line.split("\t"));
      const commit = commits.find(([, name]) => name === ref)?.[0];
      if (commit === undefined || !isCommitId(commit))
        throw new UsageError(
          "branch-missing",
          `${plainUrl(followed.url)} has no branch "${followed.branch}". Create it again, or follow another one with --branch.`,
        );
      return commit;
    },
    /**
     * A new checkout of the end of the branch.
     *
     * @throws GitError
     */
    async make(): Promise<Checkout> {
      const folder = await mkdtemp(path.join(options.folder, "commit-"));
      try {
        const commit = await fill(await openGit({ ...options, folder }));
        folders = [...folders, folder];
        return { commit, folder };
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
      }
    },
    /** Removes all checkouts but these. */
    async keepOnly(checkouts: readonly (Checkout | undefined)[]): Promise<void> {
      const kept = new Set(checkouts.map((checkout) => checkout?.folder));
      const gone = folders.filter((folder) => !kept.has(folder));
      folders = folders.filter((folder) => kept.has(folder));
      for (const folder of gone) await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Checkouts = ReturnType<typeof openCheckouts>;

/** The work folders that this process has made. */
const inUse = new Set<string>();

/**
 * Makes a folder for checkouts in `parent`, which is created if it is not there. It is named after the process, so that
 * the next one on this machine removes what a killed one left.
 */
export async function makeWorkFolder(
  parent: string,
  { hostname, pid }: { readonly hostname: string; readonly pid: number },
): Promise<{ folder: string; remove(): Promise<void> }> {
  await mkdir(parent, { recursive: true });
  const prefix = `avatarops-sync-${hostname.replace(/[^\w.-]/g, "_")}-`;
  for (const name of await readdir(parent)) {
    const [, owner] = (name.startsWith(prefix) && /^(\d+)-\w{6}$/.exec(name.slice(prefix.length))) || [];
    const left = path.join(parent, name);
    // Our own number may be that of an earlier process, too, as in a container.
    const isInUse = Number(owner) === pid ? inUse.has(left) : isRunning(Number(owner));
    if (owner !== undefined && !isInUse)
      await rm(left, { recursive: true, force: true }).catch(() => undefined);
  }
  // At once: another one of this process that begins in between would remove it.
  const folder = mkdtempSync(path.join(parent, `${prefix}${pid}-`));
  inUse.add(folder);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Whether an address contains a password or token, which a list of processes and logs would show. One that cannot be parsed may. */
export function hasCredentials(url: string): boolean {
  if (/^[a-z][a-z\d+.-]*:\/\/.*@/i.test(url) && !URL.canParse(url)) return true;
  const [, scheme = "", user] = /^([a-z][a-z\d+.-]*):\/\/(?:([^/?#@]*)@)?/i.exec(url) ?? [];
  return user !== undefined && (user.includes(":") || /^https?$/i.test(scheme));
}

/**
 * The environment in which git gets at the repository with a token: a header for its host only, so that no redirect or
 * submodule takes it elsewhere. Also for the state, if that is in the same repository.
 */
export function withGitToken(
  environment: Readonly<Record<string, string | undefined>>,
  url: string,
): Readonly<Record<string, string | undefined>> {
  const { AVATAROPS_GIT_TOKEN: token, AVATAROPS_GIT_USERNAME: user, ...others } = environment;
  const origin = /^https?:\/\/[^/?#]+/i.exec(url)?.[0];
  if (!token || origin === undefined) return others;
  const first = Number.parseInt(environment.GIT_CONFIG_COUNT ?? "0", 10) || 0;
  // GitHub, GitLab and Gitea take a token as the password of any user.
  const basic = Buffer.from(`${user || "x-access-token"}:${token.trim()}`).toString("base64");
  return {
    ...others,
    GIT_CONFIG_COUNT: String(first + 1),
    [`GIT_CONFIG_KEY_${first}`]: `http.${origin}/.extraHeader`,
    [`GIT_CONFIG_VALUE_${first}`]: `Authorization: Basic ${basic}`,
  };
}
