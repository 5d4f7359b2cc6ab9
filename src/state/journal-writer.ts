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
 * The writing end of a journal; see journal.ts. The file is made with the first record. After a write or sync that
 * failed nothing more is accepted: the system may have dropped the bytes and would not say so again.
 */
export class JournalWriter {
  readonly #paths: Paths;
  readonly #header: JournalHeader;
  readonly #guard: () => Promise<void>;
  readonly #waiting: Waiting[] = [];
  #handle: FileHandle | undefined;
  #writing: Promise<void> | undefined;
  #broken: Error | undefined;

  /** `guard` throws when the journal is no longer ours to write. */
  constructor(paths: Paths, header: JournalHeader, guard: () => Promise<void>) {
    this.#paths = paths;
    this.#header = header;
    this.#guard = guard;
  }

  /** Resolves once the record is on disk, after calling `durable` in the order of the records. */
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

  /** Waits for what is under way and closes the file. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // The calls of the same moment share the line, too.
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
    // Last, so that what was done is in the file as long as it is there, but nothing is sent on the word of a journal
    // that another run may have taken up and removed.
    await this.#guard();
  }

  /** Header and name are on disk before the first record, so that a torn header means: no record. */
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
