import { sleep } from "../../base/retry/index.js";
import type { JournalHeader, JournalRecord } from "./journal.js";
import { toFileError } from "./state-error.js";
import type { Hold } from "./store-backend.js";

interface Waiting {
  readonly record: JournalRecord;
  readonly durable: () => void;
  readonly failed: (error: Error) => void;
}

/** Where a write takes at least this long, in ms, as a push does, what follows shortly is waited for. */
const slowMs = 20;

/**
 * Writes a journal; see journal.ts. The first record begins it. After a failed write it accepts nothing more: the
 * system may have dropped the bytes and would not report it again.
 */
export interface JournalWriter {
  /** Resolves once the record is durable, after it calls `durable` in the order of the records. */
  append(record: JournalRecord, durable?: () => void): Promise<void>;
  /** Waits for pending writes, and for nothing to join them. */
  settle(): Promise<void>;
}

/** `name`: of the journal, for messages. */
export function openJournalWriter(hold: Hold, name: string, header: JournalHeader): JournalWriter {
  const waiting: Waiting[] = [];
  let isBegun = false;
  let writing: Promise<void> | undefined;
  let broken: Error | undefined;
  let lastMs = 0;
  const hurry = new AbortController();

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      // Calls made at the same time share the line, too.
      await undefined;
      // The outcomes of requests that were sent at the same time, and the intents that follow them, go together.
      if (lastMs > slowMs) await sleep(Math.min(lastMs / 2, 500), hurry.signal);
      const batch = waiting.splice(0);
      const began = performance.now();
      try {
        const records = `${JSON.stringify(batch.map(({ record }) => record))}\n`;
        await hold.append(isBegun ? records : `${JSON.stringify(header)}\n${records}`);
        isBegun = true;
        lastMs = performance.now() - began;
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
    async settle() {
      hurry.abort();
      await writing;
    },
  };
}
