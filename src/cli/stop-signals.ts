import type { Host } from "./host.js";

/** How a command is asked to stop. */
export interface StopSignals {
  /** Aborts when the user or the system asks to stop while work must be finished. */
  readonly signal: AbortSignal;
  /**
   * While `work` runs, signals do not end the process; they abort `signal` so that started work is finished.
   * Otherwise a signal ends the process at once, even while it computes.
   */
  finishing<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The same; a second Ctrl-C ends the process even while `work` computes: for cleanup such as releasing a lock. */
  releasing<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * JavaScript handles a signal only between two turns, and a registered handler disables the default action: a
 * process with a permanent handler cannot be stopped while it computes. So handlers exist only while work
 * must be finished, and only for the first signal; the second one ends the process in any case. The journal
 * then has what was sent, and the next run looks for it.
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
