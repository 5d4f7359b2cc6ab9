import { type FileHandle, open, rm, stat } from "node:fs/promises";
import type { System } from "../../../base/system/index.js";
import type { ProcessEnvironment } from "../holder-status.js";
import { closeJournal } from "../journal.js";
import { type Holder, parseHolder } from "../lock-holder.js";
import { type StateError, translateErrors } from "../state-error.js";
import type { CommitResult, HeldLock, NextTexts, StoreBackend, StoredTexts } from "../store-backend.js";
import { makeFolder, readIfExists, replaceFile, syncFolder } from "./disk.js";
import { createConflictError, createLockLostError } from "./errors.js";
import {
  findLock,
  findSettledLock,
  isLockOurs,
  releaseLock,
  removeLockFile,
  tryLockFile,
  withLockHeld,
} from "./file-lock.js";
import { appendLine, readLinesFromEnd } from "./lines.js";
import { locate, type Paths } from "./paths.js";

/**
 * Opens a state file, with its journal, lock and history next to it.
 *
 * @throws StateError `outside-project` if the file is a symlink that leads out of `root`.
 */
export async function openFileStore(
  file: string,
  environment: ProcessEnvironment,
  root?: string,
): Promise<StoreBackend> {
  const paths = await locate(file, root);
  const { state, journal, lock } = paths;
  return {
    names: { state, journal, lock, restore: "find it with `git log` and restore it with `git restore`" },
    async read() {
      const texts = await readFiles(paths);
      return { ...texts, lock: await findLock(lock, environment) };
    },
    findLock: () => findSettledLock(lock, environment),
    async tryLock(mine) {
      await makeFolder(paths);
      return (await tryLockFile(lock, mine, environment)) ?? openFileLock(paths, mine, environment.system);
    },
    longestPauseMs: 500,
    breakLock: (found, mine) =>
      removeLockFile(lock, found, mine, environment, () => closeJournalFile(journal, environment)),
    readHistory: () => readLinesFromEnd(paths.history),
  };
}

/** Reads the journal first. The state is then either the one that the journal belongs to or a newer one. */
async function readFiles(paths: Paths): Promise<StoredTexts> {
  const journal = await readIfExists(paths.journal);
  return { journal, state: await readIfExists(paths.state) };
}

/** Open journals, kept reachable because Node 26 ends a process that garbage-collects an open file. */
const journals = new Set<FileHandle>();

function openFileLock(paths: Paths, mine: Holder, system: System): HeldLock {
  let journal: FileHandle | undefined;
  /** State text as last read or written. `known` is undefined before the first read. */
  let known: { readonly state: string | undefined } | undefined;

  async function assertLockOurs(): Promise<void> {
    if (!(await isLockOurs(paths.lock, mine.id))) throw await createLostError();
  }

  async function createLostError(): Promise<StateError> {
    return createLockLostError(paths, parseHolder((await readIfExists(paths.lock)) ?? ""));
  }

  /** Writes while the lock is ours. @throws StateError `lock-lost`, before anything is written. */
  async function writeWithLock(write: () => Promise<void>): Promise<void> {
    const isOurs = await withLockHeld(paths.lock, mine, system, async (wasRemoved) => {
      if (!wasRemoved) await write();
    });
    if (!isOurs) throw await createLostError();
  }

  /**
   * Starts a journal. Its header and file name are synced before the first entry, so a torn header means that there are
   * no entries.
   */
  async function startJournal(header: string): Promise<FileHandle> {
    const handle = await open(paths.journal, "ax", 0o600);
    try {
      await handle.appendFile(header);
      await handle.datasync();
      await syncFolder(paths.folder);
      journals.add(handle);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async function closeJournal(): Promise<void> {
    const closing = journal;
    journal = undefined;
    if (closing) journals.delete(closing);
    await translateErrors("write", paths.journal, async () => closing?.close());
  }

  return {
    isLocal: true,
    async read() {
      const texts = await readFiles(paths);
      await assertLockOurs();
      known = { state: texts.state };
      return texts;
    },
    async append(lines) {
      const [header = "", ...first] = lines.split(/(?<=\n)/);
      await writeWithLock(async () => {
        const rest = journal ? lines : first.join("");
        journal ??= await startJournal(header);
        await journal.appendFile(rest);
        await journal.datasync();
      });
      // Checks the lock again. If a user removed it, another run may have completed this journal.
      await assertLockOurs();
    },
    check: assertLockOurs,
    async appendUnlocked(lines) {
      if (!journal) return false;
      const handle = journal;
      let isAppended = false;
      await withLockHeld(paths.lock, mine, system, async () => {
        // Another run may have completed and removed this journal.
        if (!(await isSameFile(handle, paths.journal))) return;
        await handle.appendFile(lines);
        await handle.datasync();
        isAppended = true;
      });
      return isAppended;
    },
    async commit(next) {
      let result: CommitResult = {};
      await writeWithLock(async () => {
        result = await write(next);
      });
      return result;
    },
    async release() {
      try {
        await closeJournal();
      } finally {
        await translateErrors("write", paths.lock, () => releaseLock(paths.lock, mine.id));
      }
    },
  };

  async function write({ state, record }: NextTexts): Promise<CommitResult> {
    await closeJournal();
    // Detects writes by programs that ignore the lock, such as `git pull`.
    if (state !== undefined && known && known.state !== (await readIfExists(paths.state)))
      throw createConflictError(paths);
    // Writes the state even if the record cannot be written, and then retries the record. Without a record, the history
    // has a gap. Without the state, outcomes would be lost.
    const addOnce = () => (record === undefined ? undefined : addRecord(paths.history, record));
    const [first] = await Promise.allSettled([addOnce()]);
    if (state !== undefined) {
      await replaceFile(paths.state, state);
      known = { state };
    }
    await translateErrors("write", paths.journal, () => rm(paths.journal, { force: true }));
    if (first.status === "fulfilled") return {};
    const [second] = await Promise.allSettled([addOnce()]);
    return second.status === "fulfilled" ? {} : { recordError: second.reason };
  }
}

async function isSameFile(handle: FileHandle, file: string): Promise<boolean> {
  const [ours, current] = [await handle.stat(), await stat(file).catch(() => undefined)];
  return current?.ino === ours.ino && current.dev === ours.dev;
}

/**
 * Closes the journal of another run after its lock was removed (see `closeJournal`). Edits the file in place, because the run may have it
 * open.
 */
async function closeJournalFile(file: string, { system }: ProcessEnvironment): Promise<void> {
  const text = await readIfExists(file);
  const closed = closeJournal(text, file, system.now());
  if (text === undefined || closed === undefined || closed === text) return;
  await translateErrors("write", file, async () => {
    const handle = await open(file, "r+");
    try {
      const [before, after] = [Buffer.from(text), Buffer.from(closed)];
      const end = before.findIndex((byte, at) => byte !== after[at]);
      const kept = end === -1 ? before.length : end;
      await handle.truncate(kept);
      await handle.write(after, kept, after.length - kept, kept);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  });
}

/** Adds a record, unless an earlier, failed attempt has already added it. */
async function addRecord(file: string, record: string): Promise<void> {
  for await (const last of readLinesFromEnd(file)) {
    if (last === record) return;
    break;
  }
  await appendLine(file, record);
}
