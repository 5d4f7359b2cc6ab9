import { createHash } from "node:crypto";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { createFolders } from "../../../base/files/index.js";
import {
  type Git,
  type GitSetting,
  openGit,
  openRepository,
  readGitSettings,
  readIdentity,
} from "../../../base/git/index.js";
import { StateError, translateErrors } from "../state-error.js";
import type { StoreEnvironment } from "../store-backend.js";
import type { GitAddress } from "./git-address.js";

/** A run's git folder. All runs in the same week share its objects. */
export interface GitFolder {
  /** Commit author, such as "Ada <ada@example.com>". */
  readonly author: string;
  readonly committer: string;
  readonly git: Git;
  /** Marks commits as shallow, because another run fetched them without parents. */
  allowMissingParents(commits: readonly string[]): Promise<void>;
  /** Returns the shallow commits. */
  shallow(): Promise<ReadonlySet<string>>;
  /**
   * Opens the history that earlier runs fetched. Returns its newest commit, if any.
   *
   * @param state Commit whose history is needed. This run may have fetched it without its history.
   */
  openHistory(state: string): Promise<string | undefined>;
  /** Records that the history of `newest` was fetched. */
  keepHistory(newest: string): Promise<void>;
  /** Makes the next run fetch the whole history again. */
  forgetHistory(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a run's git folder. Git objects of states are in `.git/avatarops`, because a fetch of depth 1 would turn the
 * user's repository into a shallow clone. All runs in one week share an object folder, which is removed a week later.
 * The remote's settings are passed explicitly, because git does not read the user's configuration for this folder.
 *
 * @throws GitError, or StateError `unknown-store` if the repository has no such remote.
 */
export async function openGitFolder(address: GitAddress, environment: StoreEnvironment): Promise<GitFolder> {
  const variables = environment.environment ?? {};
  const { root = "" } = environment;
  const repository = await openRepository({ folder: root, environment: variables });
  const settings = await readGitSettings(repository, environment.gitSettings);
  if (!settings.some(([key]) => key === `remote.${address.remote}.url`))
    throw createNoRemoteError(address, root);
  const { folder, objects, history } = await makeFolders(
    repository.commonFolder,
    address,
    settings,
    environment,
  );
  const git = await openGit({
    // Remotes with relative paths are relative to this folder.
    folder: repository.root,
    environment: {
      // Gives up on a server that is silent for 30 seconds.
      ...{ GIT_HTTP_LOW_SPEED_LIMIT: "1", GIT_HTTP_LOW_SPEED_TIME: "30" },
      ...removeSettings(variables),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
    },
    config: settings.filter(([key]) => isForRemote(key, address.remote)),
    variables: { GIT_DIR: folder, GIT_OBJECT_DIRECTORY: objects },
  });
  const formatIdentity = (who: "author" | "committer") => {
    const { name, email } = readIdentity(who, variables, settings);
    return `${name} <${email}>`;
  };
  const shallowFile = path.join(folder, "shallow");
  const listShallowCommits = async (): Promise<ReadonlySet<string>> => new Set(await readWords(shallowFile));

  /** Writes the list of shallow commits. Removes an empty list, because git rejects it. */
  async function writeShallow(commits: readonly string[]): Promise<void> {
    if (commits.length === 0) await rm(shallowFile, { force: true });
    else await writeFile(shallowFile, `${commits.join("\n")}\n`);
  }

  return {
    author: formatIdentity("author"),
    committer: formatIdentity("committer"),
    git,
    async allowMissingParents(commits) {
      const lines = await listShallowCommits();
      const missing = commits.filter((commit) => !lines.has(commit));
      if (missing.length > 0) await writeShallow([...lines, ...missing]);
    },
    shallow: listShallowCommits,
    async openHistory(state) {
      // The file contains "<newest commit> <shallow commits>".
      const [newest, ...known] = await readWords(history);
      if (newest === undefined) return undefined;
      try {
        // Creates the ref, so that later fetches announce the commits that exist here. Fails if `newest` does not
        // exist.
        await git.run(["update-ref", historyRef, newest]);
      } catch {
        return undefined;
      }
      const others = [...(await listShallowCommits())].filter(
        (commit) => commit !== state && commit !== newest,
      );
      await writeShallow([...new Set([...known, ...others])]);
      return newest;
    },
    async keepHistory(newest) {
      await git.run(["update-ref", historyRef, newest]);
      const draft = path.join(folder, "history");
      await writeFile(draft, [newest, ...(await listShallowCommits())].join(" "), { mode: 0o600 });
      await rename(draft, history);
    },
    forgetHistory: () => rm(history, { force: true }),
    close: () => rm(folder, { recursive: true, force: true }).catch(() => undefined),
  };
}

/** Ref that keeps the history reachable in a run's folder. */
const historyRef = "refs/avatarops/history";

async function readWords(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split(/\s+/).filter((word) => word !== "");
}

function isForRemote(key: string, remote: string): boolean {
  const prefix = `remote.${remote}.`;
  if (key.startsWith(prefix))
    return /^(?:url|pushurl|proxy|proxyauthmethod|uploadpack|receivepack|vcs|serveroption)$/.test(
      key.slice(prefix.length),
    );
  return /^(?:http|credential|url|ssh)\.|^core\.(?:sshcommand|gitproxy|askpass)$/.test(key);
}

/**
 * Removes environment variables that contain git settings, because the `config` list already includes them. Otherwise,
 * extra headers would be sent twice.
 */
function removeSettings(
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const isSetting = (name: string) => /^GIT_CONFIG(?:_|$)/.test(name);
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !isSetting(name)));
}

const weekMs = 7 * 24 * 3_600_000;

interface RunFolders {
  /** This run's folder. */
  readonly folder: string;
  readonly objects: string;
  readonly history: string;
}

async function makeFolders(
  common: string,
  { remote, state }: GitAddress,
  settings: readonly GitSetting[],
  { system: { now, newId } }: StoreEnvironment,
): Promise<RunFolders> {
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
    // Readable only by the owner, because weak secrets can be guessed from the state.
    await createFolders(path.join(objects, "info"), 0o700);
    await createFolders(path.join(folder, "refs"), 0o700);
    await writeFile(
      path.join(folder, "config"),
      `[core]\n\trepositoryformatversion = ${version}\n\tbare = true\n${extension}`,
    );
    await writeFile(path.join(folder, "HEAD"), "ref: refs/heads/none\n");
    await removeOldWeeks(all, week);
  });
  return { folder, objects, history };
}

/** Removes folders that no run uses. Tolerates another run that removes the same folders. */
async function removeOldWeeks(all: string, week: number): Promise<void> {
  const old = (await readdir(all)).filter((name) => {
    const [, number] = /^week-(\d+)$/.exec(name) ?? [];
    return number !== undefined && Number(number) < week - 1;
  });
  for (const name of old)
    await rm(path.join(all, name), { recursive: true, force: true }).catch(() => undefined);
}

function createNoRemoteError({ location, remote }: GitAddress, folder: string): StateError {
  return new StateError(
    "unknown-store",
    location,
    `The repository in ${folder} has no remote "${remote}", but \`state: ${location}\` uses it. List the remotes with \`git remote -v\`, then correct \`state:\`.`,
  );
}
