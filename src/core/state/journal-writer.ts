import type { JournalHeader, JournalRecord } from "./journal.js";
import { toFileError } from "./state-error.js";
import type { Hold } from "./store-backend.js";

interface Waiting {
  readonly record: JournalRecord;
  readonly durable: () => void;
  readonly failed: (error: Error) => void;
}

/**
 * Writes a journal; see journal.ts. The first record begins it. After a failed write it accepts nothing more: the
 * system may have dropped the bytes and would not report it again.
 */
export interface JournalWriter {
  /** Resolves once the record is durable, after it calls `durable` in the order of the records. */
  append(record: JournalRecord, durable?: () => void): Promise<void>;
  /** Waits for pending writes. */
  settle(): Promise<void>;
}

/** `name`: of the journal, for messages. */
export function openJournalWriter(hold: Hold, name: string, header: JournalHeader): JournalWriter {
  const waiting: Waiting[] = [];
  let isBegun = false;
  let writing: Promise<void> | undefined;
  let broken: Error | undefined;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      // Calls made at the same time share the line, too.
      await undefined;
      const batch = waiting.splice(0);
      try {
        const records = JSON.stringify(batch.map(({ record }) => record));
        await hold.append(isBegun ? [records] : [JSON.stringify(header), records]);
        isBegun = true;
        for (const { durable } of batch) durable();
      } catch (error) {
        broken = toFileError(error, "write", name);
        for (const { failed } of [...batch, ...waiting.splice(0)]) failed(broken);
      }
    }
    writing = undefined;
  }

  return {
    append: (record, durable) =>
      new Promise((resolve, reject) => {
        if (broken) return reject(broken);
        const done = () => {
          durable?.();
          resolve();
        };
        waiting.push({ record, durable: done, failed: reject });
        writing ??= drain();
      }),
    settle: async () => writing,
  };
}
