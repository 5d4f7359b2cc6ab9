import { type FileHandle, open, rm } from "node:fs/promises";
import type { Holder } from "../lock-holder.js";
import type { LockEnvironment } from "../processes.js";
import { translateErrors } from "../state-error.js";
import type { FoundLock, Hold, NextTexts, StateStore, StoredTexts, StoreNames } from "../state-store.js";
import { makeFolder, readIfThere, replaceFile, syncFolder } from "./disk.js";
import { conflict, lockLost } from "./errors.js";
import { removeLockFile, tryLockFile } from "./file-lock.js";
import { appendLine, linesFromEnd } from "./lines.js";
import { findLock, isOurs, release } from "./lock-file.js";
import { locate, type Paths } from "./paths.js";

/**
 * A state in a file, with its journal, lock and history beside it.
 *
 * @throws StateError `outside-project` if the file is a link that leads out of `root`.
 */
export async function openFileStore(
  file: string,
  environment: LockEnvironment,
  root?: string,
): Promise<StateStore> {
  const paths = await locate(file, root);
  return {
    names: fileStoreNames(paths),
    read: () => readFiles(paths),
    readLock: () => findLock(paths.lock, environment),
    async tryLock(mine) {
      await makeFolder(paths);
      return (await tryLockFile(paths.lock, mine, environment)) ?? new FileHold(paths, mine);
    },
    breakLock: (found: FoundLock, mine: Holder) => removeLockFile(paths.lock, found, mine, environment),
    history: () => linesFromEnd(paths.history),
  };
}

function fileStoreNames({ state, journal, lock }: Paths): StoreNames {
  return { state, journal, lock, restore: "`git log` names it, `git restore` brings it back" };
}

/** The journal is read first, because the state after it can only be the same or a later one. */
async function readFiles(paths: Paths): Promise<StoredTexts> {
  const journal = await readIfThere(paths.journal);
  return { journal, state: await readIfThere(paths.state) };
}

class FileHold implements Hold {
  readonly #paths: Paths;
  readonly #mine: Holder;
  #journal: FileHandle | undefined;
  /** The state as last read or written; undefined before that. */
  #known: { readonly state: string | undefined } | undefined;

  constructor(paths: Paths, mine: Holder) {
    this.#paths = paths;
    this.#mine = mine;
  }

  async read(): Promise<StoredTexts> {
    const texts = await readFiles(this.#paths);
    this.#known = { state: texts.state };
    return texts;
  }

  async append(lines: readonly string[]): Promise<void> {
    const [header = "", ...first] = lines;
    const rest = this.#journal ? lines : first;
    this.#journal ??= await this.#begin(header);
    await this.#journal.appendFile(rest.map((line) => `${line}\n`).join(""));
    await this.#journal.datasync();
    // Last, so that the record is in the file while the file exists, but nothing is sent because of a journal
    // that another run may have taken over and removed.
    await this.#refuseLockLost();
  }

  /**
   * Header and name are on disk before the first record, so that a torn header means that there is no record.
   */
  async #begin(header: string): Promise<FileHandle> {
    const handle = await open(this.#paths.journal, "ax", 0o600);
    try {
      await handle.appendFile(`${header}\n`);
      await handle.datasync();
      await syncFolder(this.#paths.folder);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async commit({ state, record }: NextTexts): Promise<void> {
    const paths = this.#paths;
    await this.#closeJournal();
    await this.#refuseLockLost();
    if (state !== undefined) await this.#refuseConflict();
    // Without a record the history has a gap; without the state, it is open what was done. So the state is written even
    // if the record cannot be, which is tried again after it.
    const addOnce = () => (record === undefined ? undefined : addRecord(paths.history, record));
    const [first] = await Promise.allSettled([addOnce()]);
    if (state !== undefined) await replaceFile(paths.state, state);
    if (state !== undefined) this.#known = { state };
    await translateErrors("write", paths.journal, () => rm(paths.journal, { force: true }));
    if (first.status === "rejected") await addOnce();
  }

  /** A `git pull` during the run, for one, does not ask for the lock. */
  async #refuseConflict(): Promise<void> {
    const { state } = this.#paths;
    if (this.#known && this.#known.state !== (await readIfThere(state))) throw conflict({ state });
  }

  async release(): Promise<void> {
    const { lock } = this.#paths;
    try {
      await this.#closeJournal();
    } finally {
      await translateErrors("write", lock, () => release(lock, this.#mine.id));
    }
  }

  async #closeJournal(): Promise<void> {
    const journal = this.#journal;
    this.#journal = undefined;
    await translateErrors("write", this.#paths.journal, async () => journal?.close());
  }

  async #refuseLockLost(): Promise<void> {
    if (!(await isOurs(this.#paths.lock, this.#mine.id))) throw lockLost(this.#paths);
  }
}

/** A record that is there already was added by an attempt that failed later. */
async function addRecord(file: string, record: string): Promise<void> {
  for await (const last of linesFromEnd(file)) {
    if (last === record) return;
    break;
  }
  await appendLine(file, record);
}
