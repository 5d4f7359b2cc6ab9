import { type Git, GitError, listFiles, readObjects } from "../../../base/git/index.js";
import { summarizeRecord } from "../history-record.js";
import { StateError } from "../state-error.js";
import type { StoreBackend, StoreEnvironment } from "../store-backend.js";
import { gitStoreNames, parseGitAddress } from "./git-address.js";
import { type GitFolder, openGitFolder } from "./git-folder.js";
import {
  type GitRemote,
  NotAtomicError,
  openGitRemote,
  type RefUpdate,
  toGitStateError,
} from "./git-remote.js";
import { openLockable, type Part, type SwapDetails, type SwapStore, type Versioned } from "./lock-by-swap.js";

const stateFile = "state.json";
const recordFile = "apply.json";
/** The text of a lock is that of these files, one after the other. */
const lockFolder = "lock";

/**
 * A state in git: `state: git+refs://origin/avatarops/production`.
 *
 * There are two refs on the server, outside branches and tags, so that no clone fetches them and no pipeline starts:
 *
 *     refs/avatarops/production        one commit for each apply: state.json, and its record, apply.json
 *     refs/avatarops-locks/production  while a run writes: who it is, and its journal
 *
 * **Compare-and-swap** is that of the server: a push names the commit that it expects a ref to point to
 * (`--force-with-lease=<ref>:<commit>`), and the server checks it once more while it locks the ref. A push of the state
 * names the lock's commit, too (`--atomic`): git then sends nothing if that has moved.
 *
 * **A lost response** to a push is looked up, as for every store of two texts. If it did not arrive, the same push may be
 * sent again, because it can succeed only once.
 *
 * **Reading** takes one round trip (`ls-remote`, for both refs), and one more (`fetch`, of depth 1) if a ref has moved
 * since a run in this clone last read it. The lock's name comes first in the alphabet, in which servers list refs: a run
 * that ends in between is seen with its journal and its state, not without both.
 *
 * Where the objects are kept on this machine, and why not in the user's repository: git-folder.ts.
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
  /** The lock that this run wrote last. It need not be read from git. */
  let ownLock: Versioned | undefined;

  /** Moves a ref if it is where it is expected, and the lock, too; whether it did. */
  async function move(update: RefUpdate, lock: string | undefined): Promise<boolean> {
    if (lock === undefined) return remote.move(update);
    try {
      return await remote.move(update, { ref: "lock", from: lock, to: lock });
    } catch (error) {
      if (!(error instanceof NotAtomicError)) throw error;
      return (await remote.refs()).lock === lock && (await remote.move(update));
    }
  }

  async function* readRecords(state: string): AsyncIterable<string> {
    const known = await folder.openHistory(state);
    // Kept by the server even if the ref has moved: the new commit has it as a parent.
    const fetch = async (depth: number | "what is new") => {
      await remote.fetch([state], depth);
      await folder.keepHistory(state);
    };
    if (known !== state) await fetch(known === undefined ? 20 : "what is new");
    for (let read = 0; ; ) {
      const commits = (await folder.git.text(["rev-list", state])).split("\n");
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
    names: gitStoreNames(remote.address),
    isLockBranch: remote.address.lock.startsWith("refs/heads/"),
    read: (...parts) => readRefs(folder, remote, parts, ownLock),
    async swap(part, text, seen, details) {
      let to: string | undefined;
      if (part === "state") {
        const files = { ...(text !== seen.text && { [stateFile]: text }), [recordFile]: details.record };
        const message = describeState(details);
        to = await writeCommit(folder, { parent: seen.version, files, message, at: now() });
      } else if (text !== undefined) {
        // What is appended is a file of its own, so that only that is sent.
        const start = seen.text !== undefined && text.startsWith(seen.text) ? seen.text.length : 0;
        const files = { [`${lockFolder}/${String(start).padStart(10, "0")}`]: text.slice(start) };
        const parent = start === 0 ? undefined : seen.version;
        const message = `Locked by ${details.by.command} on ${details.by.host}`;
        to = await writeCommit(folder, { parent, files, message, at: now() });
      }
      const isMoved = await move({ ref: part, from: seen.version, to }, details.lock?.version);
      if (!isMoved) return undefined;
      const written = { text, version: to };
      if (part === "lock") ownLock = written;
      return written;
    },
    async *history() {
      const { state } = await remote.refs();
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

/** Says what an apply changed, for `git log`. */
function describeState({ record, by: { command, host } }: SwapDetails): string {
  const summary = record === undefined ? `Taken over by ${command}` : summarizeRecord(record);
  return `${summary}\n\nHost: ${host}\n`;
}

/**
 * Reads refs, and what their commits say.
 *
 * @param parts The commits of other refs are not fetched: states are large.
 * @param known A commit whose text is known.
 */
async function readRefs(
  folder: GitFolder,
  remote: GitRemote,
  parts: readonly Part[],
  known: Versioned | undefined,
): Promise<Versioned[]> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const refs = await remote.refs();
    const read = async () => {
      const readRef = async (part: Part) =>
        known?.version !== undefined && known.version === refs[part]
          ? known
          : readPart(folder, part, refs[part]);
      const texts = await Promise.all(parts.map(readRef));
      return texts.every((text) => text !== undefined) ? texts : undefined;
    };
    const ids = parts.map((part) => refs[part]).filter((id) => id !== undefined);
    const here = await read();
    if (here) {
      const commits = here.filter(({ text }) => !text?.startsWith(blobPrefix)).map(({ version }) => version);
      await folder.allowMissingParents(commits.filter((id) => id !== undefined));
      return here;
    }
    const fetched = (await remote.fetch(ids)) ? await read() : undefined;
    if (fetched) return fetched;
  }
  const { location } = remote.address;
  throw new StateError(
    "unreachable",
    location,
    `${location} moves faster than it can be fetched. Run the command again.`,
  );
}

/** Undefined if an object is missing: each run fetches what it needs, and may be killed while it does. */
async function readPart(
  { git }: GitFolder,
  part: Part,
  commit: string | undefined,
): Promise<Versioned | undefined> {
  if (commit === undefined) return { text: undefined, version: undefined };
  try {
    const all = await listFiles(git, commit, "");
    const own = all.filter(({ path }) =>
      part === "state" ? path === stateFile : path.startsWith(`${lockFolder}/`),
    );
    // A branch with other files is not a lock, whatever it has beside them: it must not be deleted as one.
    const files = part === "lock" && own.length < all.length ? [] : own;
    const ids = files.map(({ id }) => id);
    const objects = await readObjects(git, ids);
    if (objects.includes(undefined)) return undefined;
    const text = objects.map((object) => object?.content.toString("utf8")).join("");
    if (files.length > 0) return { text, version: commit };
    return { text: part === "lock" ? await describeCommit(git, commit) : undefined, version: commit };
  } catch (error) {
    if (!(error instanceof GitError && error.code === "failed")) throw error;
    const [blob] = part === "lock" ? await readObjects(git, [`${commit}^{blob}`]) : [];
    return blob && { text: `${blobPrefix}${commit}\n${blob.content}`, version: commit };
  }
}

/** Marks the text of a file that was found instead of a lock. */
const blobPrefix = "blob ";

/** Content of a commit that was found instead of a lock, for the user. */
async function describeCommit(git: Pick<Git, "text">, commit: string): Promise<string> {
  const [facts, names] = await Promise.all([
    git.text(["cat-file", "-p", commit]),
    git.text(["ls-tree", "--name-only", commit]),
  ]);
  return `commit ${commit}\n${facts}\n\n${names}`;
}

interface NewCommit {
  /** Its files are those of the commit unless `files` says otherwise; a first commit has none. */
  readonly parent: string | undefined;
  /** By path: a text; or undefined, for a file to be removed. */
  readonly files: Readonly<Record<string, string | undefined>>;
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Writes a commit with its files; returns its id. No ref, index or working tree takes part. */
async function writeCommit(folder: GitFolder, commit: NewCommit): Promise<string> {
  const seconds = Math.floor(commit.at / 1_000);
  const input = [
    "commit refs/avatarops/new",
    "mark :1",
    `author ${folder.author} ${seconds} +0000`,
    `committer ${folder.committer} ${seconds} +0000`,
    ...dataCommand(commit.message),
    ...(commit.parent === undefined ? [] : [`from ${commit.parent}`]),
    ...Object.entries(commit.files).flatMap(([path, text]) =>
      text === undefined ? [`D ${path}`] : [`M 100644 inline ${path}`, ...dataCommand(text)],
    ),
    "",
    "get-mark :1",
    "",
  ].join("\n");
  const environment = input.length < minPacked ? {} : keepPack;
  return folder.git.text(["fast-import", "--quiet", "--force", "--date-format=raw"], { input, environment });
}

/** Length from which the objects of a commit stay in their pack, in UTF-16 code units. Many small packs would slow git down. */
const minPacked = 250_000;

/** A push sends packed objects unchanged, and compresses others again. fast-import needs no other setting. */
const keepPack = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "fastimport.unpackLimit",
  GIT_CONFIG_VALUE_0: "1",
};

function dataCommand(text: string): string[] {
  return [`data ${Buffer.byteLength(text)}`, text];
}
