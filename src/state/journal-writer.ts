import { type FileHandle, open } from "node:fs/promises";
import { syncFolder } from "./disk.js";
import type { JournalHeader, JournalRecord } from "./journal.js";
import type { Paths } from "./paths.js";
import { refusalOf } from "./state-error.js";

interface Waiting {
  readonly record: JournalRecord;
  readonly durable: () => void;
  readonly failed: (error: Error) => void;
}

/**
 * Writes a journal; see journal.ts. The first record creates the file. After a failed write or sync it
 * accepts nothing more: the system may have dropped the bytes and would not report it again.
 */
export class JournalWriter {
  readonly #paths: Paths;
  readonly #header: JournalHeader;
  readonly #guard: () => Promise<void>;
  readonly #waiting: Waiting[] = [];
  #handle: FileHandle | undefined;
  #writing: Promise<void> | undefined;
  #broken: Error | undefined;

  /** `guard` throws if we no longer own the journal. */
  constructor(paths: Paths, header: JournalHeader, guard: () => Promise<void>) {
    this.#paths = paths;
    this.#header = header;
    this.#guard = guard;
  }

  /** Resolves once the record is on disk, after it calls `durable` in the order of the records. */
  append(record: JournalRecord, durable: () => void = () => {}): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#broken) return reject(this.#broken);
      const done = () => {
        durable();
        resolve();
      };
      this.#waiting.push({ record, durable: done, failed: reject });
      this.#writing ??= this.#drain();
    });
  }

  /** Waits for pending writes and closes the file. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Calls made at the same time share the line, too.
      await undefined;
      const batch = this.#waiting.splice(0);
      try {
        await this.#write(batch.map(({ record }) => record));
        for (const { durable } of batch) durable();
      } catch (error) {
        const broken = refusalOf(error, "write", this.#paths.journal);
        this.#broken = broken;
        for (const { failed } of [...batch, ...this.#waiting.splice(0)]) failed(broken);
      }
    }
    this.#writing = undefined;
  }

  async #write(records: readonly JournalRecord[]): Promise<void> {
    this.#handle ??= await this.#begin();
    await this.#handle.appendFile(`${JSON.stringify(records)}\n`);
    await this.#handle.datasync();
    // Last, so that the record is in the file while the file exists, but nothing is sent because of a journal
    // that another run may have taken over and removed.
    await this.#guard();
  }

  /**
   * Header and name are on disk before the first record, so that a torn header means that there is no record.
   */
  async #begin(): Promise<FileHandle> {
    const handle = await open(this.#paths.journal, "ax", 0o600);
    try {
      await handle.appendFile(`${JSON.stringify(this.#header)}\n`);
      await handle.datasync();
      await syncFolder(this.#paths.folder);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}
