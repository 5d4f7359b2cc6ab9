import { setMaxListeners } from "node:events";
import type { ProxyOptions } from "../../base/http/index.js";
import { unwrapped } from "./envelope.js";
import { limited } from "./limiter.js";
import { type Observer, openObserver, type RequestEvent } from "./observed.js";
import type { Send } from "./request.js";
import { retrying } from "./retry.js";
import { openWire } from "./wire.js";

export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly successCodes: readonly number[];
  readonly concurrency: number;
  readonly requestsPerSecond: number | undefined;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly backoffMs: number;
  readonly patienceMs: number;
  readonly maxResponseBytes: number;
  readonly userAgent: string;
  readonly proxy: ProxyOptions | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onRequest: ((event: RequestEvent) => void) | undefined;
  readonly now: () => number;
  readonly random: () => number;
  readonly ownsProcess: boolean;
  readonly optimizeAfterMs: number;
}

export interface Transport extends Pick<Observer, "requests" | "serverTime"> {
  readonly send: Send;
  close(): Promise<void>;
}

/** The layers of a request: retry, limit, open the envelope, count, send. */
export function openTransport(options: TransportOptions): Transport {
  // Every wait and every request listens to it; Node would warn of a leak.
  if (options.signal) setMaxListeners(0, options.signal);
  // Measures waits with a monotonic clock, because the wall clock jumps.
  const stopwatch = () => performance.now();
  const wire = openWire({ ...options, connections: options.concurrency });
  const observer = openObserver({ onRequest: options.onRequest, stopwatch });
  const once = unwrapped(observer.observed(wire.exchange), options);
  return {
    send: retrying(limited(once, { ...options, stopwatch }), options),
    requests: observer.requests,
    serverTime: observer.serverTime,
    close: wire.close,
  };
}
