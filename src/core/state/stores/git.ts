import { type Git, GitError, listFiles, readObjects } from "../../../base/git/index.js";
import { summarizeRecord } from "../history-record.js";
import { StateError } from "../state-error.js";
import type { StoreBackend, StoreEnvironment } from "../store-backend.js";
import { createGitStoreNames, type GitAddress, parseGitAddress } from "./git-address.js";
import { type GitFolder, openGitFolder } from "./git-folder.js";
import {
  type GitRemote,
  NotAtomicError,
  openGitRemote,
  type RefUpdate,
  toGitStateError,
} from "./git-remote.js";
import {
  isReleased,
  openLockable,
  type StoredPart,
  type SwapDetails,
  type SwapStore,
  type VersionedText,
} from "./lock-by-swap.js";

const stateFile = "state.json";
const recordFile = "apply.json";
/** Folder of the files in a lock commit. */
const lockFolder = "lock";

/**
 * Opens a state in git (`state: git+refs://origin/avatarops/production`).
 *
 * There are two refs on the server, outside branches and tags, so that no clone fetches them and no pipeline starts:
 *
 *     refs/avatarops/production        one commit for each apply, with state.json and its record, apply.json
 *     refs/avatarops-locks/production  exists during a run, with the lock owner and the journal
 *
 * The server does the **compare-and-swap**. Each push contains the expected commit of its ref (`--force-with-lease`). A
 * push of the state also contains the expected commit of the lock (`--atomic`), so it fails if the lock has moved.
 *
 * **Reading** takes one round trip (`ls-remote`), and a second (`fetch`, of depth 1) if a ref has moved.
 *
 * @throws StateError `unknown-store`, `unreachable`
 */
export async function openGitStore(url: URL, environment: StoreEnvironment): Promise<StoreBackend> {
  const address = parseGitAddress(url);
  try {
    const folder = await openGitFolder(address, environment);
    const remote = openGitRemote(folder, address, environment);
    return openLockable(openRefs(folder, remote, environment), environment);
  } catch (error) {
    throw toGitStateError(error, address, "read");
  }
}

function openRefs(
  folder: GitFolder,
  remote: GitRemote,
  { system: { now } }: Pick<StoreEnvironment, "system">,
): SwapStore {
  /** The last lock that this run wrote. Saves reading it from git. */
  let ownLock: VersionedText | undefined;

  /** Moves a ref if both the ref and the lock have their expected commits. Returns whether the ref was moved. */
  async function move(update: RefUpdate, lock: string | undefined): Promise<boolean> {
    if (lock === undefined) return remote.move(update);
    try {
      return await remote.move(update, { ref: "lock", from: lock, to: lock });
    } catch (error) {
      if (!(error instanceof NotAtomicError)) throw error;
      return (await remote.readRefs()).lock === lock && (await remote.move(update));
    }
  }

  async function* readRecords(state: string): AsyncIterable<string> {
    const known = await folder.openHistory(state);
    // Even if the ref has moved, the server still has this commit, because the new commit descends from it.
    const fetch = async (depth: number | "new commits") => {
      await remote.fetch([state], depth);
      await folder.keepHistory(state);
    };
    if (known !== state) await fetch(known === undefined ? 20 : "new commits");
    for (let read = 0; ; ) {
      const commits = (await folder.git.readText(["rev-list", state])).split("\n");
      const files = commits.slice(read).map((commit) => `${commit}:${recordFile}`);
      for (const record of await readObjects(folder.git, files))
        if (record) yield record.content.toString("utf8");
      const shallow = await folder.shallow();
      if (read === commits.length || !commits.some((commit) => shallow.has(commit))) return;
      read = commits.length;
      await fetch(4 * read);
    }
  }

  return {
    names: createGitStoreNames(remote.address),
    isLockBranch: remote.address.lock.startsWith("refs/heads/"),
    read: (...parts) => readRefs(folder, remote, parts, ownLock),
    async swap(part, text, seen, details) {
      let to: string | undefined;
      if (part === "state") {
        const files = { ...(text !== seen.text && { [stateFile]: text }), [recordFile]: details.record };
        const message = describeState(details);
        to = await writeCommit(folder, { parent: seen.version, files, message, at: now() });
      } else if (text !== undefined) {
        // Appends text as a separate file, so that only this file is sent.
        const start = seen.text !== undefined && text.startsWith(seen.text) ? seen.text.length : 0;
        const files = { [`${lockFolder}/${String(start).padStart(10, "0")}`]: text.slice(start) };
        const parent = start === 0 ? undefined : seen.version;
        const message = `${isReleased(text) ? "Unlocked" : "Locked"} by ${details.by.command} on ${details.by.host}`;
        to = await writeCommit(folder, { parent, files, message, at: now() });
      }
      const isMoved = await move({ ref: part, from: seen.version, to }, details.lock?.version);
      if (!isMoved) return undefined;
      const written = { text, version: to };
      if (part === "lock") ownLock = written;
      return written;
    },
    async *readHistory() {
      const { state } = await remote.readRefs();
      if (state === undefined) return;
      try {
        yield* readRecords(state);
      } catch (error) {
        await folder.forgetHistory();
        throw error;
      }
    },
    close: () => folder.close(),
  };
}

/** Creates an apply's commit message, for `git log`. */
function describeState({ record, by: { command, host } }: SwapDetails): string {
  const summary = record === undefined ? `Taken over by ${command}` : summarizeRecord(record);
  return `${summary}\n\nHost: ${host}\n`;
}

/**
 * Reads refs and their texts.
 *
 * @param parts Refs to fetch. Other refs are skipped, because states are large.
 * @param known Last lock that this run wrote, which need not be read from git.
 */
async function readRefs(
  folder: GitFolder,
  remote: GitRemote,
  parts: readonly StoredPart[],
  known: VersionedText | undefined,
): Promise<VersionedText[]> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const refs = await remote.readRefs();
    const read = async () => {
      const readRef = async (part: StoredPart) =>
        known?.version !== undefined && known.version === refs[part]
          ? known
          : readPart(folder, remote, part, refs[part]);
      const texts = await Promise.all(parts.map(readRef));
      return texts.every((text) => text !== undefined) ? texts : undefined;
    };
    const ids = parts.map((part) => refs[part]).filter((id) => id !== undefined);
    const local = await read();
    if (local) {
      const commits = local.filter(({ text }) => !text?.startsWith(blobPrefix)).map(({ version }) => version);
      await folder.allowMissingParents(commits.filter((id) => id !== undefined));
      return local;
    }
    const fetched = (await remote.fetch(ids)) ? await read() : undefined;
    if (fetched) return fetched;
  }
  const { location } = remote.address;
  throw new StateError(
    "unreachable",
    location,
    `${location} changes faster than it can be fetched. Run the command again.`,
  );
}

/** Reads a part. Returns undefined if a git object is missing, because a run may have been killed during its fetch. */
async function readPart(
  { git }: GitFolder,
  { address }: GitRemote,
  part: StoredPart,
  commit: string | undefined,
): Promise<VersionedText | undefined> {
  if (commit === undefined) return { text: undefined, version: undefined };
  return part === "state" ? readState(git, commit, address) : readLock(git, commit);
}

/** Reads the state with one git process, because most commands read several states. */
async function readState(git: Git, commit: string, address: GitAddress): Promise<VersionedText | undefined> {
  const [tree, file] = await readObjects(git, [`${commit}^{tree}`, `${commit}:${stateFile}`]);
  if (!tree || (!file && tree.content.includes(` ${stateFile}\0`))) return undefined;
  if (!file) await assertNoOtherFiles(git, commit, address);
  return { text: file?.content.toString("utf8"), version: commit };
}

/**
 * Rejects a commit of another program or a wrong commit, which would otherwise count as an empty store. A migration
 * stores its records before the state.
 */
async function assertNoOtherFiles(git: Git, commit: string, address: GitAddress): Promise<void> {
  const names = await git.readText(["ls-tree", "--name-only", commit]);
  if (["", recordFile].includes(names)) return;
  const { state: location, restore } = createGitStoreNames(address);
  throw new StateError(
    "corrupt",
    location,
    `${location} is not an avatarops state: commit ${commit.slice(0, 10)} contains other files, but no ${stateFile}. Restore the last good version (${restore}), or give avatarops its own ref.`,
  );
}

async function readLock(git: Git, commit: string): Promise<VersionedText | undefined> {
  try {
    const all = await listFiles(git, commit, "");
    const own = all.filter(({ path }) => path.startsWith(`${lockFolder}/`));
    // A branch with other files is not a lock, so it must never be deleted as one.
    const files = own.length < all.length ? [] : own;
    const objects = await readObjects(
      git,
      files.map(({ id }) => id),
    );
    if (objects.includes(undefined)) return undefined;
    const text = objects.map((object) => object?.content.toString("utf8")).join("");
    return { text: files.length > 0 ? text : await describeCommit(git, commit), version: commit };
  } catch (error) {
    if (!(error instanceof GitError && error.code === "failed")) throw error;
    const [blob] = await readObjects(git, [`${commit}^{blob}`]);
    return blob && { text: `${blobPrefix}${commit}\n${blob.content}`, version: commit };
  }
}

/** Prefix of text that was found where a lock commit was expected. */
const blobPrefix = "blob ";

/** Describes a commit that was found where a lock was expected, for the user. */
async function describeCommit(git: Pick<Git, "readText">, commit: string): Promise<string> {
  const [facts, names] = await Promise.all([
    git.readText(["cat-file", "-p", commit]),
    git.readText(["ls-tree", "--name-only", commit]),
  ]);
  return `commit ${commit}\n${facts}\n\n${names}`;
}

interface StateCommit {
  /** Parent commit, whose other files are kept. Undefined for a first commit. */
  readonly parent: string | undefined;
  /** New texts by path. A file with an undefined text is removed. */
  readonly files: Readonly<Record<string, string | undefined>>;
  readonly message: string;
  /** Commit time, in milliseconds since 1970. */
  readonly at: number;
}

/** Writes a commit with its files, without touching refs, the index or the working tree. Returns the commit id. */
async function writeCommit(folder: GitFolder, commit: StateCommit): Promise<string> {
  const seconds = Math.floor(commit.at / 1_000);
  const input = [
    "commit refs/avatarops/new",
    "mark :1",
    `author ${folder.author} ${seconds} +0000`,
    `committer ${folder.committer} ${seconds} +0000`,
    ...formatData(commit.message),
    ...(commit.parent === undefined ? [] : [`from ${commit.parent}`]),
    ...Object.entries(commit.files).flatMap(([path, text]) =>
      text === undefined ? [`D ${path}`] : [`M 100644 inline ${path}`, ...formatData(text)],
    ),
    "",
    "get-mark :1",
    "",
  ].join("\n");
  const environment = input.length < minPackedLength ? {} : keepPack;
  return folder.git.readText(["fast-import", "--quiet", "--force", "--date-format=raw"], {
    input,
    environment,
  });
}

/** Minimum length of a commit to keep as a pack, in UTF-16 code units. Many small packs would slow git down. */
const minPackedLength = 250_000;

/** Settings that keep the pack, because a push sends packed objects unchanged and compresses other objects again. */
const keepPack = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "fastimport.unpackLimit",
  GIT_CONFIG_VALUE_0: "1",
};

function formatData(text: string): string[] {
  return [`data ${Buffer.byteLength(text)}`, text];
}
