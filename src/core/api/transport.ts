import { setMaxListeners } from "node:events";
import { unwrapEnvelopes } from "./envelope.js";
import { limitRequests } from "./limiter.js";
import { openObserver, type RequestCount } from "./observed.js";
import type { ServiceSettings } from "./options.js";
import type { Send } from "./request.js";
import { retryRequests } from "./retry.js";
import { openWire } from "./wire.js";

export interface Transport {
  readonly send: Send;
  readonly requests: RequestCount;
  /** In ms; undefined before the first response. */
  serverTime(): number | undefined;
  /** Waits for running requests. */
  close(): Promise<void>;
}

/** The layers of a request: retry, limit, open the envelope, count, send. */
export function openTransport(settings: ServiceSettings): Transport {
  // Every wait and every request listens to it; Node would warn of a leak.
  if (settings.signal) setMaxListeners(0, settings.signal);
  const wire = openWire(settings);
  const { requests, serverTime, observed } = openObserver(settings.onRequest);
  const once = unwrapEnvelopes(observed(wire.exchange), settings);
  return {
    send: retryRequests(limitRequests(once, settings), settings),
    requests,
    serverTime,
    close: wire.close,
  };
}
