import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  type Git,
  type GitSetting,
  openGit,
  openRepository,
  readIdentity,
  readSettings,
} from "../../../base/git/index.js";
import { StateError, translateErrors } from "../state-error.js";
import type { StoreEnvironment } from "../store-backend.js";
import type { GitAddress } from "./git-address.js";

/** The folder of a run, and the objects that it shares. */
export interface GitFolder {
  /** "Ada <ada@example.com>": author and committer of the commits. */
  readonly author: string;
  readonly committer: string;
  readonly git: Git;
  /** Tells git that it need not have the parents of a commit: another run fetched it. */
  allowMissingParents(commits: readonly string[]): Promise<void>;
  /** The commits whose parents need not be here. */
  shallow(): Promise<ReadonlySet<string>>;
  /**
   * Continues with the history that runs have fetched; returns its newest commit, if there is one.
   *
   * @param state The commit whose history is wanted. This run may have fetched only that one.
   */
  openHistory(state: string): Promise<string | undefined>;
  /** Notes that the history of a commit was fetched. */
  keepHistory(newest: string): Promise<void>;
  /** The next run fetches all of it again. */
  forgetHistory(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The objects of a state are not put into the user's repository: a fetch of depth 1 would make it a shallow clone, and
 * in a partial clone each object would be asked for. They are kept beside its own, in `.git/avatarops`, in folders that
 * are named after the week, of which those of this week and the last are kept: so nothing has to be collected while
 * somebody may use it. All runs of a week share the objects, which git writes so that several can. Each run has a git folder of
 * its own, with its list of shallow commits, which goes when the run ends. What was fetched of a history is noted beside
 * the objects, for the next run to fetch only what is new.
 *
 * From there git would not read the user's configuration (or not all of it: that of the clone has the credentials of a
 * CI job, and parts may be included for the folder `.git` only). So git is asked for the settings in force, and what
 * decides how a remote is reached is handed on.
 *
 * @throws GitError; StateError `unknown-store` if the repository has no such remote.
 */
export async function openGitFolder(address: GitAddress, environment: StoreEnvironment): Promise<GitFolder> {
  const variables = environment.environment ?? {};
  const { root = "" } = environment;
  const repository = await openRepository({ folder: root, environment: variables });
  const settings = await readSettings(repository);
  if (!settings.some(([key]) => key === `remote.${address.remote}.url`)) throw noRemote(address, root);
  const { folder, objects, history } = await makeFolders(
    repository.commonFolder,
    address,
    settings,
    environment,
  );
  const git = await openGit({
    // Where the addresses of remotes that are relative paths start.
    folder: repository.root,
    environment: {
      // A server that is silent for so many seconds is gone.
      ...{ GIT_HTTP_LOW_SPEED_LIMIT: "1", GIT_HTTP_LOW_SPEED_TIME: "30" },
      ...withoutSettings(variables),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
    },
    config: settings.filter(([key]) => isForRemote(key, address.remote)),
    variables: { GIT_DIR: folder, GIT_OBJECT_DIRECTORY: objects },
  });
  const identity = (who: "author" | "committer") => {
    const { name, email } = readIdentity(who, variables, settings);
    return `${name} <${email}>`;
  };
  const shallowFile = path.join(folder, "shallow");
  const shallow = async (): Promise<ReadonlySet<string>> => new Set(await readWords(shallowFile));

  /** Git takes an empty list for an error. */
  async function writeShallow(commits: readonly string[]): Promise<void> {
    if (commits.length === 0) await rm(shallowFile, { force: true });
    else await writeFile(shallowFile, `${commits.join("\n")}\n`);
  }

  return {
    author: identity("author"),
    committer: identity("committer"),
    git,
    async allowMissingParents(commits) {
      const lines = await shallow();
      const missing = commits.filter((commit) => !lines.has(commit));
      if (missing.length > 0) await writeShallow([...lines, ...missing]);
    },
    shallow,
    async openHistory(state) {
      // "<newest commit> <shallow commits>": what is here of the history of the state.
      const [newest, ...known] = await readWords(history);
      if (newest === undefined) return undefined;
      try {
        // For git to tell the server what is here; it refuses if the commit is not.
        await git.run(["update-ref", historyRef, newest]);
      } catch {
        return undefined;
      }
      const own = [...(await shallow())].filter((commit) => commit !== state && commit !== newest);
      await writeShallow([...new Set([...known, ...own])]);
      return newest;
    },
    async keepHistory(newest) {
      await git.run(["update-ref", historyRef, newest]);
      const draft = path.join(folder, "history");
      await writeFile(draft, [newest, ...(await shallow())].join(" "), { mode: 0o600 });
      await rename(draft, history);
    },
    forgetHistory: () => rm(history, { force: true }),
    close: () => rm(folder, { recursive: true, force: true }).catch(() => undefined),
  };
}

/** In the folder of a run: keeps what is here reachable. */
const historyRef = "refs/avatarops/history";

async function readWords(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split(/\s+/).filter((word) => word !== "");
}

function isForRemote(key: string, remote: string): boolean {
  const own = `remote.${remote}.`;
  if (key.startsWith(own))
    return /^(?:url|pushurl|proxy|proxyauthmethod|uploadpack|receivepack|vcs|serveroption)$/.test(
      key.slice(own.length),
    );
  return /^(?:http|credential|url|ssh)\.|^core\.(?:sshcommand|gitproxy|askpass)$/.test(key);
}

/** Settings in variables are in the list already: twice, an extra header would be sent twice. */
function withoutSettings(
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const isSetting = (name: string) => /^GIT_CONFIG(?:_|$)/.test(name);
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !isSetting(name)));
}

const weekMs = 7 * 24 * 3_600_000;

interface Folders {
  /** Folder of this run. */
  readonly folder: string;
  readonly objects: string;
  readonly history: string;
}

async function makeFolders(
  common: string,
  { remote, state }: GitAddress,
  settings: readonly GitSetting[],
  { system: { now, newId } }: StoreEnvironment,
): Promise<Folders> {
  const all = path.join(common, "avatarops");
  const week = Math.floor(now() / weekMs);
  const objects = path.join(all, `week-${week}`, "objects");
  const name = createHash("sha256").update(`${remote} ${state}`).digest("hex").slice(0, 16);
  const history = path.join(all, `week-${week}`, `history-${name}`);
  const folder = path.join(all, `week-${week}`, "runs", newId());
  const [, format] = settings.find(([key]) => key === "extensions.objectformat") ?? [];
  const extension = format === undefined ? "" : `[extensions]\n\tobjectformat = ${format}\n`;
  const version = format === undefined ? 0 : 1;
  await translateErrors("write", all, async () => {
    // The state has what is needed to guess weak secrets: for its owner only.
    await mkdir(path.join(objects, "info"), { recursive: true, mode: 0o700 });
    await mkdir(path.join(folder, "refs"), { recursive: true, mode: 0o700 });
    await writeFile(
      path.join(folder, "config"),
      `[core]\n\trepositoryformatversion = ${version}\n\tbare = true\n${extension}`,
    );
    await writeFile(path.join(folder, "HEAD"), "ref: refs/heads/none\n");
    await removeOldWeeks(all, week);
  });
  return { folder, objects, history };
}

/** Removes what no run uses any more. Another run may do the same at this moment. */
async function removeOldWeeks(all: string, week: number): Promise<void> {
  const old = (await readdir(all)).filter((name) => {
    const [, number] = /^week-(\d+)$/.exec(name) ?? [];
    return number !== undefined && Number(number) < week - 1;
  });
  for (const name of old)
    await rm(path.join(all, name), { recursive: true, force: true }).catch(() => undefined);
}

function noRemote({ location, remote }: GitAddress, folder: string): StateError {
  return new StateError(
    "unknown-store",
    location,
    `The repository of ${folder} has no remote "${remote}", which \`state: ${location}\` names. \`git remote -v\` lists its remotes.`,
  );
}
