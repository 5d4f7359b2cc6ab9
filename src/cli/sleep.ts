import type { Host } from "./host.js";

/** How a command waits: until the time is over or the signal aborts. Never throws. */
export function sleepOf(host: Host): (ms: number, signal: AbortSignal) => Promise<void> {
  return (ms, signal) => (host.sleep ? host.sleep(ms, signal) : realSleep(ms, signal));
}

/** Longer times would overflow, and end at once. In ms. */
const longestTimerMs = 2 ** 31 - 1;

function realSleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, longestTimerMs));
    signal.addEventListener("abort", end);
  });
}
