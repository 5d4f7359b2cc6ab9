import { readObjects } from "../../../base/git/index.js";
import { summarizeRecord } from "../record.js";
import type { StateStore, StoreEnvironment } from "../store-backend.js";
import { gitStoreNames, parseGitAddress } from "./git-address.js";
import { writeCommit } from "./git-commits.js";
import { type GitFolder, openGitFolder } from "./git-folder.js";
import {
  type GitRemote,
  NotAtomicError,
  openGitRemote,
  type RefUpdate,
  toGitStateError,
} from "./git-remote.js";
import { lockFolder, readRefs, recordFile, stateFile } from "./git-texts.js";
import { openLockable, type SwapDetails, type SwapStore } from "./swap.js";

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
    const remote = openGitRemote(folder, address, environment);
    return openLockable(openRefs(folder, remote, environment), environment);
  } catch (error) {
    throw toGitStateError(error, address, "read");
  }
}

function openRefs(folder: GitFolder, remote: GitRemote, { now }: Pick<StoreEnvironment, "now">): SwapStore {
  /** Moves a ref if it is where it is expected, and the lock, too; whether it did. */
  async function move(update: RefUpdate, lock: string | undefined): Promise<boolean> {
    if (lock === undefined) return (await remote.move(update)) === undefined;
    try {
      return (await remote.move(update, { ref: "lock", from: lock, to: lock })) === undefined;
    } catch (error) {
      if (!(error instanceof NotAtomicError)) throw error;
      return (await remote.refs()).lock === lock && (await remote.move(update)) === undefined;
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
    read: (...parts) => readRefs(folder, remote, parts),
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
      return isMoved ? { text, version: to } : undefined;
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
