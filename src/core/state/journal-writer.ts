import type { System } from "../../base/system/index.js";
import type { JournalHeader, JournalStep } from "./journal.js";
import { toFileError } from "./state-error.js";
import type { HeldLock } from "./store-backend.js";

interface Waiting {
  readonly record: JournalStep;
  readonly durable?: () => void;
  readonly reject?: (error: Error) => void;
}

/** How long outcomes wait for the next intents at most, where a write is a request; in ms. */
const patienceMs = 10_000;

/**
 * Writes a journal; see journal.ts. The first record begins it. After a failed write it accepts nothing more: the
 * system may have dropped the bytes and would not report it again.
 */
export interface JournalWriter {
  /** Resolves once the record is durable, after it calls `durable` in the order of the records. */
  append(record: JournalStep, durable?: () => void): Promise<void>;
  /** Takes a record that may wait for the next one. */
  add(record: JournalStep): void;
  /**
   * Writes what waits.
   *
   * @throws StateError if it, or what was added before, could not be written.
   */
  flush(): Promise<void>;
  /** Waits for a write that is under way, and starts none by itself. Before a commit, which has what waits. */
  settle(): Promise<void>;
  /** The journal's id once an append was sent: until then, the store may still have the last journal. */
  readonly sentId: string | undefined;
  /** Why it accepts nothing more; undefined while it does. */
  readonly failure: Error | undefined;
  /** Outcomes that are not durable. Excludes intents: a create that was not recorded was not sent. */
  readonly unwritten: readonly JournalStep[];
}

/** `name`: of the journal, for messages. */
export function openJournalWriter(
  hold: HeldLock,
  name: string,
  header: JournalHeader,
  system: System,
): JournalWriter {
  const waiting: Waiting[] = [];
  let isBegun = false;
  let isSent = false;
  /** Something waits that is to be written now. */
  let isDue = false;
  let writing: Promise<void> | undefined;
  let broken: Error | undefined;
  let failed: JournalStep[] = [];
  let stopTimer: (() => void) | undefined;

  function write(): Promise<void> {
    isDue = true;
    writing ??= drain();
    return writing;
  }

  async function drain(): Promise<void> {
    while (isDue) {
      // Calls made at the same time share the line, too.
      await undefined;
      isDue = false;
      stopTimer?.();
      stopTimer = undefined;
      const batch = waiting.splice(0);
      try {
        if (broken) throw broken;
        const records = `${JSON.stringify(batch.map(({ record }) => record))}\n`;
        isSent = true;
        await hold.append(isBegun ? records : `${JSON.stringify(header)}\n${records}`);
        isBegun = true;
        for (const { durable } of batch) durable?.();
      } catch (error) {
        broken ??= toFileError(error, "write", name);
        failed = [...failed, ...batch.map(({ record }) => record)];
        for (const { reject } of batch) reject?.(broken);
      }
    }
    writing = undefined;
  }

  return {
    append: (record, durable) =>
      new Promise((resolve, reject) => {
        const done = () => {
          durable?.();
          resolve();
        };
        waiting.push({ record, durable: done, reject });
        write();
      }),
    add(record) {
      waiting.push({ record });
      if (hold.isLocal) write();
      else stopTimer ??= system.startTimer(patienceMs, write);
    },
    async flush() {
      if (waiting.length > 0) await write();
      await writing;
      if (broken) throw broken;
    },
    async settle() {
      stopTimer?.();
      stopTimer = undefined;
      await writing;
    },
    get sentId() {
      return isSent ? header.id : undefined;
    },
    get failure() {
      return broken;
    },
    get unwritten() {
      return [...failed, ...waiting.map(({ record }) => record)].filter((record) => !("intend" in record));
    },
  };
}
