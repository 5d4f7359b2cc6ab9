import { setMaxListeners } from "node:events";
import { unwrapped } from "./envelope.js";
import { limited } from "./limiter.js";
import { openObserver } from "./observed.js";
import type { ServiceSettings } from "./options.js";
import { retrying } from "./retry.js";
import { openWire } from "./wire.js";

export type Transport = ReturnType<typeof openTransport>;

/** The layers of a request: retry, limit, open the envelope, count, send. */
export function openTransport(settings: ServiceSettings) {
  // Every wait and every request listens to it; Node would warn of a leak.
  if (settings.signal) setMaxListeners(0, settings.signal);
  const wire = openWire(settings);
  const { requests, serverTime, observed } = openObserver(settings.onRequest);
  const once = unwrapped(observed(wire.exchange), settings);
  return { send: retrying(limited(once, settings), settings), requests, serverTime, close: wire.close };
}
