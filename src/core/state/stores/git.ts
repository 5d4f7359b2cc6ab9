import { readObjects } from "../../../base/git/index.js";
import { isSettled } from "../journal.js";
import type { Holder } from "../lock-holder.js";
import { type ProcessEnvironment, processStatus } from "../processes.js";
import {
  type FoundLock,
  type Hold,
  type StateStore,
  type StoreEnvironment,
  vanishedLock,
} from "../store-backend.js";
import { gitStoreNames, parseGitAddress } from "./git-address.js";
import { writeCommit } from "./git-commits.js";
import { type GitFolder, openGitFolder } from "./git-folder.js";
import { openGitHold } from "./git-hold.js";
import { type GitRemote, openGitRemote, type Refs, toStateError } from "./git-remote.js";
import { holderFile, type LockCommit, noHolder, readRefs, recordFile } from "./git-texts.js";

/**
 * A state in git: `state: git+refs://origin/avatarops/production`.
 *
 * There are two refs on the server, outside branches and tags, so that no clone fetches them and no pipeline starts:
 *
 *     refs/avatarops/production        one commit for each apply: state.json, and its record, apply.json
 *     refs/avatarops-locks/production  while a run writes: holder.json, and the run's journal
 *
 * **Compare-and-swap** is that of the server: a push names the commit that it expects a ref to point to
 * (`--force-with-lease=<ref>:<commit>`), and the server checks it once more while it locks the ref.
 *
 * **The lock** is the second ref. Expecting that there is none, only one of several pushes can create it. Each append to
 * the journal is a commit on it, with the last one as what is expected: one push, which proves that the lock is still
 * ours and makes the lines durable. Were the journal on the first ref, a run whose lock was broken could append to it
 * until the new holder writes; and its commits would stay in the history. So they go when the lock goes. A run that ends
 * without a commit leaves the ref, with the journal and without a holder: the next run takes it over.
 *
 * **A commit** moves both refs in one push, or none (`--atomic`): the new state, and the lock without its journal.
 * Therefore nobody can write a state who has lost the lock. A server that cannot do this is asked to move the lock, the
 * state, and the lock again: a crash in between leaves the journal of a state that has its steps already, which the state
 * shows by the journal's id. In the short time after the first push someone may break the lock unseen; the second ref
 * still moves from the expected commit only.
 *
 * **A lost response** to a push is looked up (`ls-remote`): only this run has made the commits, so a ref that points to one was
 * moved by it. If it was not, the same push may be sent again, because it can succeed only once.
 *
 * **Reading** takes one round trip (`ls-remote`, for both refs), and one more (`fetch`, of depth 1) if a ref has moved
 * since a run in this clone last read it. The lock's name comes first in the alphabet, in which servers list refs: a run
 * that ends in between is seen with its journal and its state, not without both.
 *
 * Where the objects are kept on this machine, and why not in the user's repository: git-folder.ts.
 *
 * @throws StateError `unknown-store`, `unreachable`
 */
export async function openGitStore(url: URL, environment: StoreEnvironment): Promise<StateStore> {
  const address = parseGitAddress(url);
  try {
    const folder = await openGitFolder(address, environment);
    return openStore(folder, openGitRemote(folder, address, environment), environment);
  } catch (error) {
    throw toStateError(error, address, "read");
  }
}

function openStore(folder: GitFolder, remote: GitRemote, environment: StoreEnvironment): StateStore {
  const names = gitStoreNames(remote.address);
  const { now } = environment;
  /** The lock as it was when `read` found the texts, for the question that follows. */
  let seen: { readonly lock: LockCommit | undefined } | undefined;
  /** The last attempt found a lock: to look first is cheaper than to push in vain. */
  let isLocked = false;

  const readLock = async (known?: Refs) => (await readRefs(folder, remote, "lock", known)).lock;

  /** Takes the lock if it is as it was found; otherwise the refs as they are. */
  async function take(mine: Holder, found: LockCommit | undefined): Promise<Hold | Refs> {
    const id = await writeCommit(folder, {
      parent: found?.id,
      files: { [holderFile]: `${JSON.stringify(mine, null, 2)}\n` },
      message: `Locked by ${mine.command} on ${mine.host}`,
      at: now(),
    });
    const refs = await remote.move({ ref: "lock", from: found?.id, to: id });
    if (refs) return refs;
    isLocked = false;
    const taken = { journal: undefined, appends: 0, ...found, id, holder: mine, isFree: false };
    return openGitHold({ mine, names, folder, remote, now }, taken);
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
    names,
    async read() {
      const { state, lock } = await readRefs(folder, remote, "both");
      seen = { lock };
      return { state, journal: lock?.journal };
    },
    async readLock() {
      const lock = seen ? seen.lock : await readLock();
      seen = undefined;
      return toFoundLock(lock, environment);
    },
    async tryLock(mine) {
      const first = isLocked ? await remote.refs() : await take(mine, undefined);
      if ("release" in first) return first;
      const found = await readLock(first);
      const replace = async (found: LockCommit | undefined) => {
        const taken = await take(mine, found);
        return "release" in taken ? taken : vanishedLock;
      };
      const inTheWay = toFoundLock(found, environment);
      isLocked = true;
      if (found && inTheWay && inTheWay.status !== "dead")
        return {
          ...inTheWay,
          // Lock and journal are one commit, which a takeover replaces: no other proof is needed.
          lookIdle: async () =>
            isSettled(found.journal, names.journal)
              ? { version: found.id, takeOver: () => replace(found) }
              : undefined,
        };
      // Released, or of a run that died: its journal stays.
      return replace(found);
    },
    async breakLock({ key }, mine) {
      for (;;) {
        const lock = await readLock();
        if (!lock || toFoundLock(lock, environment)?.key !== key) return;
        const message = `Removed by ${mine.command} on ${mine.host}`;
        const files = { [holderFile]: noHolder };
        const to =
          lock.journal === undefined
            ? undefined
            : await writeCommit(folder, { parent: lock.id, files, message, at: now() });
        // It moves while its holder writes: until it is removed.
        if (!(await remote.move({ ref: "lock", from: lock.id, to }))) return;
      }
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

/** The lock that a commit stands for; undefined if nobody holds it. */
function toFoundLock(lock: LockCommit | undefined, environment: ProcessEnvironment): FoundLock | undefined {
  if (!lock || lock.isFree) return undefined;
  const { id, holder } = lock;
  return { key: holder?.id ?? id, holder, status: processStatus(holder, environment) };
}
