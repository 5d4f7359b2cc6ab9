import { sleep } from "../retry/index.js";
import type { Host } from "./host.js";

/** How a command waits: until the time is over or the signal aborts. Never throws. */
export function sleepOf(host: Host): (ms: number, signal: AbortSignal) => Promise<void> {
  return (ms, signal) => (host.sleep ? host.sleep(ms, signal) : sleep(ms, signal));
}
