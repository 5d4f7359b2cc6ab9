import { readObjects } from "../../../base/git/index.js";
import type { Holder } from "../lock-holder.js";
import { type ProcessEnvironment, processStatus } from "../processes.js";
import {
  type FoundLock,
  type Hold,
  type StateStore,
  type StoredTexts,
  type StoreEnvironment,
  type StoreNames,
  vanishedLock,
} from "../state-store.js";
import { type GitAddress, gitStoreNames, parseGitAddress } from "./git-address.js";
import { writeCommit } from "./git-commits.js";
import { GitFolder } from "./git-folder.js";
import { GitHold } from "./git-hold.js";
import { GitRemote, type Refs, toStateError } from "./git-remote.js";
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
 * tells by the journal's id. In the short time after the first push someone may break the lock unseen; the second ref
 * still moves from the expected commit only.
 *
 * **A lost response** to a push is looked up (`ls-remote`): commits are of this run alone, so a ref that points to one was
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
    return new GitStore(address, await GitFolder.open(address, environment), environment);
  } catch (error) {
    throw toStateError(error, address, "read");
  }
}

class GitStore implements StateStore {
  readonly names: StoreNames;
  readonly #folder: GitFolder;
  readonly #remote: GitRemote;
  readonly #environment: StoreEnvironment;
  /** The lock as it was when `read` found the texts, for the question that follows. */
  #seen: { readonly lock: LockCommit | undefined } | undefined;
  /** The last attempt found a lock: to look first is cheaper than to push in vain. */
  #isLocked = false;

  constructor(address: GitAddress, folder: GitFolder, environment: StoreEnvironment) {
    this.names = gitStoreNames(address);
    this.#folder = folder;
    this.#remote = new GitRemote(folder, address, environment);
    this.#environment = environment;
  }

  async read(): Promise<StoredTexts> {
    const { state, lock } = await readRefs(this.#folder, this.#remote, "both");
    this.#seen = { lock };
    return { state, journal: lock?.journal };
  }

  async readLock(): Promise<FoundLock | undefined> {
    const lock = this.#seen ? this.#seen.lock : await this.#lock();
    this.#seen = undefined;
    return foundIn(lock, this.#environment);
  }

  async tryLock(mine: Holder): Promise<Hold | FoundLock> {
    const found = (this.#isLocked && (await this.#lock())) || (await this.#create(mine));
    if (found instanceof GitHold) return found;
    const inTheWay = foundIn(found, this.#environment);
    this.#isLocked = true;
    if (inTheWay && inTheWay.status !== "dead") return inTheWay;
    // Released, or of a run that died: its journal stays.
    return (await this.#replace(found, mine)) ?? vanishedLock;
  }

  /** The hold, or the lock that is there. */
  async #create(mine: Holder): Promise<GitHold | LockCommit | undefined> {
    const lock = await this.#write(mine, undefined);
    const now = await this.#remote.move({ ref: "lock", from: undefined, to: lock });
    if (now) return this.#lock(now);
    return this.#holdOf(mine, { id: lock, holder: mine, isFree: false, journal: undefined, appends: 0 });
  }

  async #replace(found: LockCommit | undefined, mine: Holder): Promise<GitHold | undefined> {
    if (!found) return undefined;
    const lock = await this.#write(mine, found.id);
    const now = await this.#remote.move({ ref: "lock", from: found.id, to: lock });
    return now ? undefined : this.#holdOf(mine, { ...found, id: lock, holder: mine, isFree: false });
  }

  #holdOf(mine: Holder, lock: LockCommit): GitHold {
    this.#isLocked = false;
    const { now } = this.#environment;
    return new GitHold({ mine, names: this.names, folder: this.#folder, remote: this.#remote, now }, lock);
  }

  async breakLock(found: FoundLock, mine: Holder): Promise<void> {
    for (;;) {
      const lock = await this.#lock();
      const now = foundIn(lock, this.#environment);
      if (!lock || now?.key !== found.key) return;
      const message = `Removed by ${mine.command} on ${mine.host}`;
      const files = { [holderFile]: noHolder };
      const to =
        lock.journal === undefined
          ? undefined
          : await writeCommit(this.#folder, { parent: lock.id, files, message, at: this.#environment.now() });
      // It moves while its holder writes: until it is removed.
      if (!(await this.#remote.move({ ref: "lock", from: lock.id, to }))) return;
    }
  }

  async *history(): AsyncIterable<string> {
    const { state } = await this.#remote.refs();
    if (state === undefined) return;
    try {
      yield* this.#historyOf(state);
    } catch (error) {
      await this.#folder.forgetHistory();
      throw error;
    }
  }

  async *#historyOf(state: string): AsyncIterable<string> {
    const folder = this.#folder;
    const known = await folder.openHistory(state);
    // Kept by the server even if the ref has moved: the new commit has it as a parent.
    const fetch = async (depth: number | "what is new") => {
      await this.#remote.fetch([state], depth);
      await folder.keepHistory(state);
    };
    if (known !== state) await fetch(known === undefined ? 20 : "what is new");
    for (let told = 0; ; ) {
      const commits = (await folder.git.text(["rev-list", state])).split("\n");
      const names = commits.slice(told).map((commit) => `${commit}:${recordFile}`);
      for (const record of await readObjects(folder.git, names))
        if (record) yield record.content.toString("utf8");
      const shallow = await folder.shallow();
      if (told === commits.length || !commits.some((commit) => shallow.has(commit))) return;
      told = commits.length;
      await fetch(4 * told);
    }
  }

  close(): Promise<void> {
    return this.#folder.close();
  }

  #write(mine: Holder, parent: string | undefined): Promise<string> {
    const files = { [holderFile]: `${JSON.stringify(mine, null, 2)}\n` };
    const message = `Locked by ${mine.command} on ${mine.host}`;
    return writeCommit(this.#folder, { parent, files, message, at: this.#environment.now() });
  }

  async #lock(known?: Refs): Promise<LockCommit | undefined> {
    return (await readRefs(this.#folder, this.#remote, "lock", known)).lock;
  }
}

/** The lock that a commit stands for; undefined if nobody holds it. */
function foundIn(lock: LockCommit | undefined, environment: ProcessEnvironment): FoundLock | undefined {
  if (!lock || lock.isFree) return undefined;
  const { id, holder } = lock;
  // Whatever wrote it instead of us, only its user can know.
  if (!holder) return { key: id, holder, status: "elsewhere" };
  return { key: holder.id, holder, status: processStatus(holder, environment) };
}
