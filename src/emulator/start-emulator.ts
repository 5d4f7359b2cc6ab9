import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { openAccounts } from "./accounts.js";
import { type Behaviour, defaultBehaviour } from "./behaviour.js";
import { control, isControl } from "./control.js";
import { openDataFile } from "./data-file.js";
import type { Dataset } from "./dataset.js";
import type { Emulator, Fault } from "./emulator.js";
import type { Endpoint } from "./endpoint.js";
import { openFaultQueue } from "./fault-queue.js";
import { parseFault } from "./fault-text.js";
import type { LoggedRequest } from "./request-log.js";
import { openService } from "./service.js";
import { listenOn } from "./wire.js";

export interface EmulatorOptions {
  /** Default 0, which takes a free port. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** The key of the one account; default "test-key". */
  apiKey?: string;
  /** In place of apiKey: keys and the names of their accounts. Two keys may open one account. */
  apiKeys?: Record<string, string>;
  /** What the first account stores at the start; default nothing. */
  world?: Dataset;
  /** What further accounts store at the start, by name. */
  worlds?: Record<string, Dataset>;
  /** Keeps the worlds in this file across runs. What it holds goes before `world` and `worlds`. */
  dataFile?: string;
  behaviour?: Partial<Behaviour>;
  faults?: readonly Fault[];
  /** The clock, in milliseconds. Real waiting (latency, delays) does not follow it. */
  now?: () => number;
  newId?: () => string;
  /** Serves HTTPS with this key and certificate in PEM. */
  tls?: { key: string; cert: string };
  /** Operations beyond those of the document, such as those of a kind that is being tried out. */
  endpoints?: readonly Endpoint[];
  /** Called when a request was dealt with, for a line on the terminal. */
  onRequest?: (request: LoggedRequest) => void;
}

/** Starts the service on a port of this machine. Throws EmulatorInputError for a data file it cannot read. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { host = "127.0.0.1", now: nowMs = Date.now, newId = randomUUID } = options;
  const behaviour = { ...defaultBehaviour, ...options.behaviour };
  const requests: LoggedRequest[] = [];
  const faults = openFaultQueue();
  for (const fault of options.faults ?? []) faults.add(fault);
  const dataFile = options.dataFile === undefined ? undefined : await openDataFile(options.dataFile);
  const { apiKey = "test-key", apiKeys = { [apiKey]: "main" }, worlds = {}, world } = options;
  const accounts = openAccounts({ apiKeys, worlds, firstWorld: world }, dataFile, { nowMs, newId });
  const closing = new AbortController();
  // One listener for each request that waits: many are no leak.
  setMaxListeners(0, closing.signal);
  const controlled = { requests, faults, behaviour, dashboardOf: accounts.dashboardOf };
  const scheme = options.tls ? "https" : "http";
  const server = newServer(
    listenOn({
      scheme,
      host,
      service: openService({
        accountOf: accounts.accountOf,
        behaviour,
        nowMs,
        newId,
        endpoints: options.endpoints ?? [],
      }),
      control: (request) => (isControl(request.path) ? control(controlled, request) : undefined),
      faults,
      behaviour,
      requests,
      nowMs,
      run: (action, request) => action.run(emulator, request),
      onRequest: options.onRequest ?? (() => {}),
      closing: closing.signal,
    }),
    options.tls,
  );
  const port = await listening(server, options.port ?? 0, host);
  const emulator: Emulator = {
    ...accounts.first,
    url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    requests,
    behaviour,
    addFault: (fault) => faults.add(typeof fault === "string" ? parseFault(fault) : fault),
    clearFaults: faults.clear,
    setBehaviour: (patch) => void Object.assign(behaviour, patch),
    account: accounts.dashboardNamed,
    async close() {
      closing.abort();
      await closed(server);
      await dataFile?.flush();
    },
  };
  return emulator;
}

function newServer(listener: RequestListener, tls: EmulatorOptions["tls"]): Server {
  return tls ? createHttpsServer(tls, listener) : createHttpServer(listener);
}

function listening(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
