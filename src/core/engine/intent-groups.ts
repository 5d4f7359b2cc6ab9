import type { System } from "../../base/system/index.js";
import type { Intent, StateWriter } from "../state/index.js";

/** Number of writes in a full group. */
const maxGroupSize = 100;

/** Maximum wait for other changes to join a group. A change that looks for a lost create may take much longer. */
const maxGroupWaitMs = 10_000;

/**
 * Batches intents, because recording them may take a git push. Limits the concurrent creates of kinds without a list,
 * whose outcome cannot be determined after a crash.
 */
export interface IntentGroups {
  /**
   * Runs a change that may record an intent. For a create of a kind without a list, `change` must resolve only once the
   * id of the new object is durable.
   */
  runChange<Of>(address: string, change: () => Promise<Of>): Promise<Of>;
  /** Records an intent, and resolves once it is durable. Set `isUnlisted` for a create of a kind without a list. */
  record(intent: Intent, options?: { readonly isUnlisted: boolean }): Promise<void>;
}

/** Opens the groups. @param maxUnlisted Maximum number of concurrent creates of kinds without a list. */
export function openIntentGroups(
  { recordIntent }: Pick<StateWriter, "recordIntent">,
  maxUnlisted: number,
  system: System,
): IntentGroups {
  let begun = 0;
  const waiting: (() => void)[] = [];
  const unlisted = new Set<string>();
  /** Waiting creates of kinds without a list, by address. */
  const queued = new Map<string, () => void>();
  let stopTimer: (() => void) | undefined;

  function recordAll(): void {
    stopTimer?.();
    stopTimer = undefined;
    for (const record of waiting.splice(0)) record();
  }

  function recordIfWhole(): void {
    for (const [address, record] of queued) {
      if (unlisted.size >= maxUnlisted) break;
      queued.delete(address);
      unlisted.add(address);
      waiting.push(record);
    }
    if (waiting.length >= maxGroupSize || waiting.length + queued.size === begun) recordAll();
    else if (waiting.length > 0) stopTimer ??= system.startTimer(maxGroupWaitMs, recordAll);
  }

  return {
    async runChange(address, change) {
      begun += 1;
      try {
        return await change();
      } finally {
        begun -= 1;
        unlisted.delete(address);
        recordIfWhole();
      }
    },
    record: (intent, { isUnlisted } = { isUnlisted: false }) =>
      new Promise((resolve, reject) => {
        const record = () => recordIntent(intent).then(resolve, reject);
        if (isUnlisted) queued.set(intent.address, record);
        else waiting.push(record);
        recordIfWhole();
      }),
  };
}
