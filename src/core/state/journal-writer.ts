import type { System } from "../../base/system/index.js";
import type { JournalHeader, JournalStep } from "./journal.js";
import type { RunFacts } from "./run-facts.js";
import { toFileError } from "./state-error.js";
import type { HeldLock } from "./store-backend.js";

interface QueuedStep {
  readonly record: JournalStep;
  readonly durable?: () => void;
  readonly reject?: (error: Error) => void;
}

/**
 * Maximum time to delay an outcome, so that it can be appended together with the next intents. Applies only to stores
 * where each append is a request.
 */
const maxOutcomeDelayMs = 10_000;

/**
 * Writes the journal (see journal.ts). After a failed write, rejects all further entries, because the system may have
 * dropped the bytes and would not report the loss again.
 */
export interface JournalWriter {
  /** Appends an entry, and resolves once it is durable. Calls `durable` just before it resolves, in entry order. */
  append(record: JournalStep, durable?: () => void): Promise<void>;
  /** Adds an entry that may wait for the next append. */
  add(record: JournalStep): void;
  /**
   * Writes the waiting entries.
   *
   * @throws StateError if a waiting or earlier entry could not be written.
   */
  flush(): Promise<void>;
  /** Waits for a write in progress, without starting another. Waiting entries are left to the commit that follows. */
  settle(): Promise<void>;
  /**
   * Journal id. Undefined until the first append is sent. Until then, the store may still have the previous journal.
   */
  readonly sentId: string | undefined;
  /** Error of the failed write. All later entries are rejected. */
  readonly failure: Error | undefined;
  /**
   * Outcomes that are not durable yet. Contains no intents, because a write is not sent before its intent is durable.
   */
  readonly unwritten: readonly JournalStep[];
}

/**
 * @param name Journal name in messages.
 * @param run Facts to add to the header. Never rejects.
 */
export function openJournalWriter(
  hold: HeldLock,
  name: string,
  header: Omit<JournalHeader, "run">,
  run: Promise<RunFacts>,
  system: System,
): JournalWriter {
  const waiting: QueuedStep[] = [];
  let isBegun = false;
  let isSent = false;
  /** Whether waiting entries must be written now. */
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
      // Waits for entries from concurrent calls, so that they share one line.
      await undefined;
      isDue = false;
      stopTimer?.();
      stopTimer = undefined;
      const batch = waiting.splice(0);
      try {
        if (broken) throw broken;
        const records = `${JSON.stringify(batch.map(({ record }) => record))}\n`;
        const first = isBegun ? "" : `${JSON.stringify({ ...header, run: await run })}\n`;
        isSent = true;
        await hold.append(first + records);
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
        const finishBatch = () => {
          durable?.();
          resolve();
        };
        waiting.push({ record, durable: finishBatch, reject });
        write();
      }),
    add(record) {
      waiting.push({ record });
      if (hold.isLocal) write();
      else stopTimer ??= system.startTimer(maxOutcomeDelayMs, write);
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
