import { mkdtempSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import {
  type Git,
  type GitOptions,
  ignoreGitFailure,
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
 * processes and force pushes do no harm.
 */
export function openCheckouts(
  followed: FollowedBranch,
  work: WorkFolder,
  options: Omit<GitOptions, "folder">,
) {
  const { url, branch } = followed;
  /** Git status of each checkout when it was new, by folder. Not empty if the commit's own line endings count as a change. */
  const made = new Map<string, string>();

  async function fill(git: Git, wanted: string): Promise<string> {
    // Git templates could add hooks and settings.
    await git.run(["init", "--quiet", "--template="]);
    // Files refer to the repository by this name, e.g. in `state: git+refs://origin/…`.
    await git.run(["remote", "add", "--", "origin", url]);
    const tracked = `refs/remotes/origin/${branch}`;
    const quietly = ["--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"];
    await git.run(["fetch", ...quietly, "origin", `+${wanted}:${tracked}`]);
    const commit = await git.readText(["rev-parse", "--verify", `${tracked}^{commit}`]);
    await git.run(["checkout", "--quiet", "--detach", commit]);
    return commit;
  }

  const readStatus = (git: Git) => git.readText(["status", "--porcelain", "--untracked-files=no"]);

  return {
    /** Reads the branch's current head. @throws GitError, UsageError `branch-missing`, `work-dir` */
    async head(): Promise<string> {
      const git = await openGit({ ...options, folder: await work.open() });
      const ref = `refs/heads/${branch}`;
      const refs = await git.readText(["ls-remote", "--", url, ref]);
      const commits = refs.split("\n").map((line) => line.split("\t"));
      const commit = commits.find(([, name]) => name === ref)?.[0];
      if (commit === undefined || !isCommitId(commit))
        throw new UsageError(
          "branch-missing",
          `${showUrl(followed.url)} has no branch "${followed.branch}". Create it again, or follow another branch with --branch.`,
        );
      return commit;
    },
    /** Makes a new checkout of a commit. Default: the branch's head. @throws GitError, UsageError `work-dir` */
    async make(wanted = `refs/heads/${branch}`): Promise<Checkout> {
      const folder = await mkdtemp(path.join(await work.open(), "commit-"));
      try {
        const git = await openGit({ ...options, folder });
        const commit = await fill(git, wanted);
        made.set(folder, await readStatus(git));
        return { commit, folder };
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
      }
    },
    /** Returns whether a checkout still has all its files. Cleanups of the temporary folder remove them after days. */
    async isIntact({ folder }: Checkout): Promise<boolean> {
      if (path.dirname(folder) !== (await work.open())) return false;
      const status = await openGit({ ...options, folder })
        .then(readStatus)
        .catch(ignoreGitFailure);
      return status !== undefined && status === made.get(folder);
    },
    /** Removes all checkouts except these. */
    async keepOnly(checkouts: readonly (Checkout | undefined)[]): Promise<void> {
      const kept = new Set(checkouts.map((checkout) => checkout?.folder));
      for (const folder of [...made.keys()].filter((folder) => !kept.has(folder))) {
        made.delete(folder);
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

export type Checkouts = ReturnType<typeof openCheckouts>;

/** Folder for checkouts. */
export interface WorkFolder {
  /** Returns the folder. Makes another one if it is gone or not ours. @throws UsageError `work-dir` */
  open(): Promise<string>;
  remove(): Promise<void>;
}

/** Work folders that this process created. */
const inUse = new Set<string>();

/**
 * Creates a folder for checkouts in `parent`. Creates `parent` if it is missing. The name contains the process id, so a
 * later process on this machine removes the folders of killed processes.
 *
 * @throws UsageError `work-dir`
 */
export async function makeWorkFolder(
  parent: string,
  { hostname, pid }: { readonly hostname: string; readonly pid: number },
): Promise<WorkFolder> {
  const prefix = `avatarops-sync-${hostname.replace(/[^\w.-]/g, "_")}-`;

  async function make(): Promise<string> {
    try {
      await mkdir(parent, { recursive: true });
      await removeLeftovers();
      // Created synchronously, because a concurrent call would remove a folder that is not in `inUse`.
      const folder = mkdtempSync(path.join(parent, `${prefix}${pid}-`));
      inUse.add(folder);
      return folder;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(
        "work-dir",
        `Cannot create a folder in ${parent} (${code}). Choose another folder with --work-dir.`,
      );
    }
  }

  async function removeLeftovers(): Promise<void> {
    for (const name of await readdir(parent)) {
      const [, owner] = (name.startsWith(prefix) && /^(\d+)-\w{6}$/.exec(name.slice(prefix.length))) || [];
      const left = path.join(parent, name);
      // An earlier process may have had our id, as happens in containers.
      const isInUse = Number(owner) === pid ? inUse.has(left) : isRunning(Number(owner));
      if (owner !== undefined && !isInUse)
        await rm(left, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  let folder = await make();
  const { uid } = await lstat(folder);

  /** Returns whether the folder exists and is ours. After a cleanup of /tmp, another user could create it. */
  async function isOurs(): Promise<boolean> {
    const found = await lstat(folder).catch(() => undefined);
    return found?.isDirectory() === true && found.uid === uid;
  }

  return {
    async open() {
      if (!(await isOurs())) folder = await make();
      return folder;
    },
    async remove() {
      if (await isOurs()) await rm(folder, { recursive: true, force: true });
    },
  };
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
