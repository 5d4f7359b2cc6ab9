import type { Host } from "./host.js";

/** How a command is asked to stop. */
export interface StopSignals {
  /** Aborts when the user or the system asks to stop while something has to be finished. */
  readonly signal: AbortSignal;
  /**
   * Keeps signals from ending the process while `work` writes or waits for what it began: they abort `signal` instead.
   * Everywhere else a signal ends the process by itself, also while it computes.
   */
  finishing<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The same for Ctrl-C alone, and also while `work` computes: of what only has to be let go, such as a lock. */
  releasing<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * JavaScript hears of a signal only between two turns, and as long as it listens the system does nothing itself: who
 * listens all the time cannot be ended while it computes. So nobody listens but where something has to be finished, and
 * nobody after the first signal: the second one ends the process, whatever it does. What was sent is in the journal
 * then, and the next run looks for it.
 */
export function stopSignals(host: Host): StopSignals {
  const stop = new AbortController();
  const listening = new Set<() => void>();
  const stopped = (signal: string) => {
    for (const forget of listening) forget();
    stop.abort(new Error(signal));
  };
  const during = async <Result>(
    listen: (callback: (signal: string) => void) => () => void,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    if (stop.signal.aborted) return work();
    const forget = listen(stopped);
    listening.add(forget);
    try {
      return await work();
    } finally {
      forget();
      listening.delete(forget);
    }
  };
  return {
    signal: stop.signal,
    finishing: (work) => during((callback) => host.onStop(callback), work),
    releasing: (work) => during((callback) => host.onInterrupt(callback), work),
  };
}
