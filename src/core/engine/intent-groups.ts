import type { System } from "../../base/system/index.js";
import type { Intent, StateWriter } from "../state/index.js";

/** How many writes are recorded at once. */
const wholeGroup = 100;

/** How long the first of a group waits at most, in ms: one change may look for an answer that was lost. */
const patienceMs = 10_000;

/**
 * Records what is about to be sent in groups, because recording may be a push. A group is recorded when it is whole, or
 * when no other change is under way that could still join it.
 *
 * A create that no list shows is ambiguous after a crash from when it is recorded. So no more of these are recorded at a
 * time than the client sends, and each makes room only when its outcome is durable.
 */
export interface IntentGroups {
  /** Carries out a change that may record an intent. What it created is durable when it ends. */
  during<Of>(address: string, change: () => Promise<Of>): Promise<Of>;
  /** Resolves once the intent is durable. `isUnlisted`: no list shows the object that it creates. */
  record(intent: Intent, options?: { readonly isUnlisted: boolean }): Promise<void>;
}

/** `maxUnlisted`: how many creates of unlisted objects are recorded at a time, at most. */
export function openIntentGroups(
  { recordIntent }: Pick<StateWriter, "recordIntent">,
  maxUnlisted: number,
  system: System,
): IntentGroups {
  let begun = 0;
  const waiting: (() => void)[] = [];
  const unlisted = new Set<string>();
  /** Creates of unlisted objects that wait for room, by address. */
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
    if (waiting.length >= wholeGroup || waiting.length + queued.size === begun) recordAll();
    else if (waiting.length > 0) stopTimer ??= system.startTimer(patienceMs, recordAll);
  }

  return {
    async during(address, change) {
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
