import { mkdtempSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import {
  type Git,
  type GitOptions,
  isCommitId,
  openGit,
  showUrl,
  toConfigVariables,
} from "../../base/git/index.js";
import { isRunning } from "../../core/state/index.js";

export interface FollowedBranch {
  /** URL for git, without credentials. A local path must be absolute. */
  readonly url: string;
  /** Branch name, checked with `isRefName`. */
  readonly branch: string;
}

/** Working tree of one commit. */
export interface Checkout {
  readonly commit: string;
  /** Working tree root. */
  readonly folder: string;
}

/**
 * Makes checkouts of a branch's head, without submodules. Each is a shallow clone in a new folder, so leftovers of killed
 * processes and force pushes do no harm. `options.folder` must exist and have no other use.
 */
export function openCheckouts(followed: FollowedBranch, options: GitOptions) {
  const { url, branch } = followed;
  let folders: readonly string[] = [];
  let opened: Git | undefined;

  async function fill(git: Git): Promise<string> {
    // Git templates could add hooks and settings.
    await git.run(["init", "--quiet", "--template="]);
    // Files refer to the repository by this name, e.g. in `state: git+refs://origin/…`.
    await git.run(["remote", "add", "--", "origin", url]);
    const tracked = `refs/remotes/origin/${branch}`;
    const refspec = `+refs/heads/${branch}:${tracked}`;
    const quietly = ["--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"];
    await git.run(["fetch", ...quietly, "origin", refspec]);
    const commit = await git.readText(["rev-parse", "--verify", `${tracked}^{commit}`]);
    await git.run(["checkout", "--quiet", "--detach", commit]);
    return commit;
  }

  return {
    /** Reads the branch's current head. @throws GitError, UsageError `branch-missing` */
    async head(): Promise<string> {
      opened ??= await openGit(options);
      const ref = `refs/heads/${branch}`;
      const refs = await opened.readText(["ls-remote", "--", url, ref]);
      const commits = refs.split("\n").map((line) => line.split("\t"));
      const commit = commits.find(([, name]) => name === ref)?.[0];
      if (commit === undefined || !isCommitId(commit))
        throw new UsageError(
          "branch-missing",
          `${showUrl(followed.url)} has no branch "${followed.branch}". Create it again, or follow another branch with --branch.`,
        );
      return commit;
    },
    /** Makes a new checkout of the branch's head. @throws GitError */
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
    /** Removes all checkouts except these. */
    async keepOnly(checkouts: readonly (Checkout | undefined)[]): Promise<void> {
      const kept = new Set(checkouts.map((checkout) => checkout?.folder));
      const gone = folders.filter((folder) => !kept.has(folder));
      folders = folders.filter((folder) => kept.has(folder));
      for (const folder of gone) await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Checkouts = ReturnType<typeof openCheckouts>;

/** Work folders that this process created. */
const inUse = new Set<string>();

/**
 * Creates a folder for checkouts in `parent`. Creates `parent` if it is missing. The name contains the process id, so a
 * later process on this machine removes the folders of killed processes.
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
    // An earlier process may have had our id, as happens in containers.
    const isInUse = Number(owner) === pid ? inUse.has(left) : isRunning(Number(owner));
    if (owner !== undefined && !isInUse)
      await rm(left, { recursive: true, force: true }).catch(() => undefined);
  }
  // Created synchronously, because a concurrent call would remove a folder that is not in `inUse`.
  const folder = mkdtempSync(path.join(parent, `${prefix}${pid}-`));
  inUse.add(folder);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Returns whether a URL contains a password or token, which process lists and logs would show. Also returns true if the
 * URL cannot be parsed.
 */
export function hasCredentials(url: string): boolean {
  if (/^[a-z][a-z\d+.-]*:\/\/.*@/i.test(url) && !URL.canParse(url)) return true;
  const [, scheme = "", user] = /^([a-z][a-z\d+.-]*):\/\/(?:([^/?#@]*)@)?/i.exec(url) ?? [];
  return user !== undefined && (user.includes(":") || /^https?$/i.test(scheme));
}

/**
 * Adds the git token to the environment, as a header for the repository's host only, so submodules cannot send the
 * token elsewhere. Turns off redirects, because git would send the header to their target. A state in the same
 * repository also uses the token.
 */
export function withGitToken(
  environment: Readonly<Record<string, string | undefined>>,
  url: string,
): Readonly<Record<string, string | undefined>> {
  const { AVATAROPS_GIT_TOKEN: token, AVATAROPS_GIT_USERNAME: user, ...others } = environment;
  const origin = /^https?:\/\/[^/?#]+/i.exec(url)?.[0];
  if (!token || origin === undefined) return others;
  // GitHub, GitLab and Gitea accept a token as the password of any user.
  const basic = Buffer.from(`${user || "x-access-token"}:${token.trim()}`).toString("base64");
  const settings = [
    [`http.${origin}/.extraHeader`, `Authorization: Basic ${basic}`],
    [`http.${origin}/.followRedirects`, "false"],
  ] as const;
  return { ...others, ...toConfigVariables(others, settings) };
}
