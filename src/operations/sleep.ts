import { sleep } from "../base/retry/index.js";
import type { OperationHost } from "./runtime.js";

/** How an operation waits: until the time is over or the signal aborts. Never throws. */
export function sleepOn(host: OperationHost): (ms: number, signal: AbortSignal) => Promise<void> {
  return (ms, signal) => (host.sleep ? host.sleep(ms, signal) : sleep(ms, signal));
}
