import { listed } from "../../../base/text/index.js";
import type { Holder } from "../lock-holder.js";
import { decodeRecord } from "../record.js";
import type { Hold, NextTexts, StoredTexts, StoreNames } from "../store-backend.js";
import { conflict, lockLost } from "./errors.js";
import { type NewCommit, writeCommit } from "./git-commits.js";
import type { GitFolder } from "./git-folder.js";
import { type GitRemote, NotAtomicError, type Refs, type RefUpdate } from "./git-remote.js";
import {
  holderFile,
  journalFolder,
  type LockCommit,
  noHolder,
  readRefs,
  recordFile,
  stateFile,
} from "./git-texts.js";

interface GitHoldInput {
  readonly mine: Holder;
  readonly names: StoreNames;
  readonly folder: GitFolder;
  readonly remote: GitRemote;
  readonly now: () => number;
}

/** The lock of a state in git; see git.ts. */
export function openGitHold({ mine, names, folder, remote, now }: GitHoldInput, first: LockCommit): Hold {
  /** What the lock's ref points to, as far as we know. */
  let lock = first;
  /** What the state's ref points to; undefined until it was read. */
  let state: string | undefined;
  /** What it says; undefined until it was read. */
  let stored: NextTexts = {};
  /** The parent of the next commit of the state: the last one whose arrival is certain. */
  let parent: string | undefined;
  /** Commits of the state that were pushed since, whose responses were lost. */
  const unconfirmed = new Map<string, NextTexts>();
  let isAtomic = true;

  async function read(): Promise<StoredTexts> {
    const found = await readRefs(folder, remote, "both");
    lock = ours(found.lock);
    confirm(found.commit, found);
    return { state: found.state, journal: lock.journal };
  }

  /** Moves both refs; returns them as they are if somebody else, or an earlier push of ours, has moved one. */
  async function write(next: NextTexts): Promise<Refs | undefined> {
    const id = await writeCommit(folder, {
      parent,
      files: { ...(next.state !== undefined && { [stateFile]: next.state }), [recordFile]: next.record },
      message: commitMessage(next.record, mine),
      at: now(),
    });
    unconfirmed.set(id, next);
    const update: RefUpdate = { ref: "state", from: state, to: id };
    const refs = isAtomic ? await together(update) : await inTurn(update);
    if (!refs) confirm(id, next);
    return refs;
  }

  async function together(update: RefUpdate): Promise<Refs | undefined> {
    try {
      return await moveLock({ [journalFolder]: undefined }, update);
    } catch (error) {
      if (!(error instanceof NotAtomicError)) throw error;
      isAtomic = false;
      return inTurn(update);
    }
  }

  /** For servers that cannot move two refs at once: proves that the lock is ours, then writes. */
  async function inTurn(update: RefUpdate): Promise<Refs | undefined> {
    return (await moveLock({})) ?? (await remote.move(update)) ?? (await removeJournal());
  }

  async function removeJournal(): Promise<Refs | undefined> {
    return lock.journal === undefined ? undefined : moveLock({ [journalFolder]: undefined });
  }

  /**
   * Takes over what an earlier push of ours did, whose response was lost. Returns whether the texts are still to be
   * written.
   *
   * @throws StateError `lock-lost`, `conflict` if it was somebody else.
   */
  async function adopt(refs: Refs, next: NextTexts): Promise<boolean> {
    lock = ours((await readRefs(folder, remote, "lock", refs)).lock);
    if (refs.state === state) return true;
    const arrived = refs.state === undefined ? undefined : unconfirmed.get(refs.state);
    if (!arrived) throw conflict(names);
    // Nobody has heard of it yet: other texts take its place, so that each apply is one commit.
    state = refs.state;
    if (!isStored(next, arrived)) return true;
    confirm(refs.state, next);
    return false;
  }

  function confirm(commit: string | undefined, texts: NextTexts): void {
    state = commit;
    parent = commit;
    stored = { state: texts.state ?? stored.state, record: texts.record };
    unconfirmed.clear();
  }

  /** Moves the lock's ref to a commit with these files changed; with it, all or none, another ref. */
  async function moveLock(
    files: NewCommit["files"],
    ...others: readonly RefUpdate[]
  ): Promise<Refs | undefined> {
    const message = `Held by ${mine.command} on ${mine.host}\n`;
    const id = await writeCommit(folder, { parent: lock.id, files, message, at: now() });
    const moved = await remote.move({ ref: "lock", from: lock.id, to: id }, ...others);
    if (moved) return moved;
    lock = { ...lock, id, ...(journalFolder in files && { journal: undefined, appends: 0 }) };
    return undefined;
  }

  /** @throws StateError `lock-lost` if it is not ours. */
  function ours(found: LockCommit | undefined): LockCommit {
    if (found?.holder?.id !== mine.id) throw lockLost(names);
    return found;
  }

  async function release(): Promise<void> {
    const refs =
      lock.journal === undefined
        ? await remote.move({ ref: "lock", from: lock.id, to: undefined })
        : await moveLock({ [holderFile]: noHolder });
    if (!refs) return;
    const found = (await readRefs(folder, remote, "lock", refs)).lock;
    // Somebody removed our lock: there is nothing to release.
    if (found?.holder?.id !== mine.id) return;
    lock = found;
    await release();
  }

  return {
    read,
    async append(lines) {
      const { journal = "", appends } = lock;
      const file = `${journalFolder}/${String(appends + 1).padStart(6, "0")}`;
      // Nobody but us appends, one after the other: if it has moved, it is not our lock any more.
      if (await moveLock({ [file]: lines })) throw lockLost(names);
      lock = { ...lock, journal: journal + lines, appends: appends + 1 };
    },
    async commit(next) {
      const isNothing = next.state === undefined && next.record === undefined;
      if (isNothing && lock.journal === undefined) return;
      let isPending = !isNothing && !isStored(next, stored);
      // More than once only if a response was lost for good before: then the first push finds out what arrived.
      for (let tries = 1; tries <= 3; tries++) {
        const refs = isPending ? await write(next) : await removeJournal();
        if (!refs) return;
        isPending = (await adopt(refs, next)) && isPending;
      }
      throw conflict(names);
    },
    release,
  };
}

/** Whether a commit was made already, so that a record that is stored twice is there once. */
function isStored({ state, record }: NextTexts, stored: NextTexts): boolean {
  return (state === undefined || state === stored.state) && record === stored.record;
}

/** For people who look at the ref with git: what was done to which objects, by which command, where. */
function commitMessage(text: string | undefined, { command, host }: Holder): string {
  const record = text === undefined ? undefined : decodeRecord(text);
  const { objects = {}, results = [] } = record && !("unreadable" in record) ? record : {};
  const done = Object.entries(objects).map(([address, { before, after }]) => {
    const word = after ? (before ? "change" : "add") : "remove";
    return `${results.find((result) => result.address === address)?.action ?? word} ${address}`;
  });
  const summary = listed(done, 3);
  return `${summary || command}\n\n${summary && `${command}\n`}Host: ${host}\n`;
}
