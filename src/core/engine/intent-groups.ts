import { type System, startTimer } from "../../base/system/index.js";
import type { Intent, StateWriter } from "../state/index.js";

/** How many writes are recorded at once. */
const wholeGroup = 100;

/** How long the first of a group waits at most, in ms: one change may look for an answer that was lost. */
const patienceMs = 10_000;

/**
 * Records what is about to be sent in groups, because recording may be a push. A group is recorded when it is whole, or
 * when no other change is under way that could still join it.
 */
export interface IntentGroups {
  /** Carries out a change that may record an intent. */
  during<Of>(change: () => Promise<Of>): Promise<Of>;
  /** Resolves once the intent is durable. */
  record(intent: Intent): Promise<void>;
}

export function openIntentGroups(
  { recordIntent }: Pick<StateWriter, "recordIntent">,
  system: System,
): IntentGroups {
  let begun = 0;
  const waiting: (() => void)[] = [];
  let stopTimer: (() => void) | undefined;

  function recordAll(): void {
    stopTimer?.();
    stopTimer = undefined;
    for (const record of waiting.splice(0)) record();
  }

  function recordIfWhole(): void {
    if (waiting.length >= wholeGroup || waiting.length === begun) recordAll();
    else if (waiting.length > 0) stopTimer ??= startTimer(system, patienceMs, recordAll);
  }

  return {
    async during(change) {
      begun += 1;
      try {
        return await change();
      } finally {
        begun -= 1;
        recordIfWhole();
      }
    },
    record: (intent) =>
      new Promise((resolve, reject) => {
        waiting.push(() => recordIntent(intent).then(resolve, reject));
        recordIfWhole();
      }),
  };
}
