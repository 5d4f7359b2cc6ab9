import type { StopSignals } from "../../operations/index.js";
import type { Host } from "./host.js";

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
