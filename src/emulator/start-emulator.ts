import { randomUUID } from "node:crypto";
import { once, setMaxListeners } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type AccountData, openAccount } from "./account.js";
import { type Behavior, defaultBehavior } from "./behavior.js";
import { openDashboard } from "./dashboard.js";
import { createEmptyDataset, type Dataset } from "./dataset.js";
import type { Emulator, Fault } from "./emulator.js";
import { openFaultQueue } from "./fault-queue.js";
import { parseFault } from "./fault-text.js";
import { type Profile, profiles } from "./profile.js";
import type { LoggedRequest } from "./request-log.js";
import { openService } from "./service.js";
import { listenOn } from "./wire.js";

export interface EmulatorOptions {
  /** Port to listen on. Default 0, which picks a free port. */
  port?: number;
  /** The account's API key (default "test-key"). */
  apiKey?: string;
  /** Initial account data (default empty). */
  world?: Dataset;
  /** Profile with additional endpoints and behavior (default: none). */
  profile?: Profile;
  behavior?: Partial<Behavior>;
  faults?: readonly Fault[];
  /**
   * Clock, in milliseconds. Does not affect actual waits, such as delay faults. Default: this machine's clock, except
   * that times never end on a whole hundredth of a second.
   */
  now?: () => number;
  newId?: () => string;
  /** Key and certificate for HTTPS, in PEM. */
  tls?: { key: string; cert: string };
  /** Called after each request, for example to print it. */
  onRequest?: (request: LoggedRequest) => void;
}

/**
 * Returns the current time, but never a whole hundredth of a second. Otherwise, the client would assume that the clock
 * is coarse, and send an additional request.
 */
function readPreciseNow(): number {
  const nowMs = Date.now();
  return nowMs % 10 === 0 ? nowMs + 1 : nowMs;
}

/** Starts the emulator on 127.0.0.1. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { apiKey = "test-key", now = readPreciseNow, newId = randomUUID, profile } = options;
  let aheadMs = 0;
  const nowMs = () => now() + aheadMs;
  const passTime = (ms: number) => {
    aheadMs += ms;
  };
  const behavior = { ...defaultBehavior, ...(profile && profiles[profile]), ...options.behavior };
  const requests: LoggedRequest[] = [];
  const faults = openFaultQueue();
  for (const fault of options.faults ?? []) faults.add(fault);
  const account = openAccount((options.world ?? createEmptyDataset()) as unknown as AccountData);
  const sources = { nowMs, newId, behavior };
  const dashboard = openDashboard(account, sources);
  const closing = new AbortController();
  // Every waiting request adds a listener, so a high number is not a leak.
  setMaxListeners(0, closing.signal);
  const scheme = options.tls ? "https" : "http";
  const listener = listenOn({
    ...{ scheme, apiKey, dashboard, faults, behavior, requests, nowMs, closing: closing.signal },
    handleRequest: openService({ ...sources, account, apiKey, profile }),
    run: (action, request) => action.run(emulator, request),
    onRequest: options.onRequest ?? (() => {}),
  });
  const server = options.tls ? createHttpsServer(options.tls, listener) : createHttpServer(listener);
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const emulator: Emulator = {
    ...dashboard,
    url: `${scheme}://127.0.0.1:${port}`,
    port,
    requests,
    behavior,
    addFault: (fault) => faults.add(typeof fault === "string" ? parseFault(fault) : fault),
    clearFaults: faults.clear,
    passTime,
    setBehavior: (patch) => void Object.assign(behavior, patch),
    async close() {
      closing.abort();
      await new Promise((resolve) => {
        server.close(resolve).closeAllConnections();
      });
    },
  };
  return emulator;
}
