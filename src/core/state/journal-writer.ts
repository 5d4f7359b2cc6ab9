import type { JournalHeader, JournalRecord } from "./journal.js";
import { toFileError } from "./state-error.js";
import type { Hold } from "./state-store.js";

interface Waiting {
  readonly record: JournalRecord;
  readonly durable: () => void;
  readonly failed: (error: Error) => void;
}

/**
 * Writes a journal; see journal.ts. The first record begins it. After a failed write it accepts nothing more: the
 * system may have dropped the bytes and would not report it again.
 */
export class JournalWriter {
  readonly #hold: Hold;
  /** For messages. */
  readonly #name: string;
  readonly #waiting: Waiting[] = [];
  /** Until it is written. */
  #header: JournalHeader | undefined;
  #writing: Promise<void> | undefined;
  #broken: Error | undefined;

  constructor(hold: Hold, name: string, header: JournalHeader) {
    this.#hold = hold;
    this.#name = name;
    this.#header = header;
  }

  /** Resolves once the record is durable, after it calls `durable` in the order of the records. */
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

  /** Waits for pending writes. */
  async settle(): Promise<void> {
    await this.#writing;
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
        const broken = toFileError(error, "write", this.#name);
        this.#broken = broken;
        for (const { failed } of [...batch, ...this.#waiting.splice(0)]) failed(broken);
      }
    }
    this.#writing = undefined;
  }

  async #write(records: readonly JournalRecord[]): Promise<void> {
    const header = this.#header ? [JSON.stringify(this.#header)] : [];
    await this.#hold.append([...header, JSON.stringify(records)]);
    this.#header = undefined;
  }
}
