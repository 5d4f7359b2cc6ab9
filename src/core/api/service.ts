import type { ProxyOptions } from "../../base/http/index.js";
import { checkBaseUrl } from "./address.js";
import type { RequestCount, RequestEvent } from "./observed.js";
import { readsOnly } from "./read-only.js";
import type { Send } from "./request.js";
import * as resources from "./resources.js";
import { openTransport, type Transport } from "./transport.js";

/** How to reach the service, and how to behave. */
export interface ServiceOptions {
  /** Checked with `checkBaseUrl`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Envelope codes that mean success. Default 100 (§2.1, §7.1) and 1000 (deployments). */
  readonly successCodes?: readonly number[] | undefined;
  /** Maximum number of concurrent requests. Default 8. */
  readonly concurrency?: number | undefined;
  /** Maximum rate. Default: what the service allows. */
  readonly requestsPerSecond?: number | undefined;
  /** For a single request, from connecting to the last byte. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries of a repeatable request; waits for 429 do not count. Default 5. */
  readonly retries?: number | undefined;
  /** Maximum of the first pause before a retry; the maximum doubles with each further one. Default 250. */
  readonly backoffMs?: number | undefined;
  /** How long to accept a service that only answers 429. Default 120,000. */
  readonly patienceMs?: number | undefined;
  /** Longer answers are refused. Default 64 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Ends every wait and every request not yet sent, at once; running writes are finished. */
  readonly signal?: AbortSignal | undefined;
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  readonly proxy?: ProxyOptions | undefined;
  /** Of this tool, for the User-Agent header. */
  readonly version?: string | undefined;
  /** Wall clock in ms, for dates in headers. */
  readonly now?: (() => number) | undefined;
  /** In [0, 1), to randomise pauses. */
  readonly random?: (() => number) | undefined;
  /** The process does nothing else, and may be tuned to end early. Default false. */
  readonly ownsProcess?: boolean | undefined;
  /** In a process of our own: how long V8 does not optimise code. Default 0. */
  readonly optimizeAfterMs?: number | undefined;
}

/** The operations of each resource. */
type Resources = { readonly [Name in keyof typeof resources]: ReturnType<(typeof resources)[Name]> };

/** The service: every operation of the document, one property per resource (§4). */
export interface Service extends Resources {
  /** Normalised. */
  readonly baseUrl: string;
  /** Live counters, shared with every read-only view. */
  readonly requests: RequestCount;
  /**
   * The service's current clock, in ms: the Date of its last answer plus the time since. Undefined before the
   * first answer.
   */
  serverTime(): number | undefined;
  /** Waits for running requests, then closes the connections. */
  close(): Promise<void>;
}

/** Opens a client of the service. Sends nothing before the first operation. */
export function openService(options: ServiceOptions): Service {
  const address = checkBaseUrl(options.baseUrl);
  if ("problem" in address) throw new Error(`Bug: the base address was not checked, it ${address.problem}`);
  const transport = openTransport({
    baseUrl: address.url,
    apiKey: options.apiKey,
    successCodes: options.successCodes ?? [100, 1000],
    concurrency: options.concurrency ?? 8,
    requestsPerSecond: options.requestsPerSecond,
    timeoutMs: options.timeoutMs ?? 30_000,
    retries: options.retries ?? 5,
    backoffMs: options.backoffMs ?? 250,
    patienceMs: options.patienceMs ?? 120_000,
    maxResponseBytes: options.maxResponseBytes ?? 64 * 1024 * 1024,
    userAgent: options.version ? `avatarops/${options.version}` : "avatarops",
    proxy: options.proxy,
    signal: options.signal,
    onRequest: options.onRequest,
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
    ownsProcess: options.ownsProcess ?? false,
    optimizeAfterMs: options.optimizeAfterMs ?? 0,
  });
  return offer(address.url, transport);
}

/** The same client on the same connections, limited to GET: for planning. */
export function readOnly(service: Service): Service {
  const transport = transports.get(service);
  if (!transport) throw new Error("Bug: readOnly takes a service made by openService");
  return offer(service.baseUrl, { ...transport, send: readsOnly(transport.send) });
}

/** Sends requests of resources that are not among the properties of a service; of a read-only one, only reads. */
export function sendOf(service: Service): Send {
  const transport = transports.get(service);
  if (!transport) throw new Error("Bug: sendOf takes a service made by openService or readOnly");
  return transport.send;
}

/** Kept outside the service, so that the holder of a read-only one cannot get around it. */
const transports = new WeakMap<Service, Transport>();

function offer(baseUrl: string, transport: Transport): Service {
  const { send, requests, serverTime, close } = transport;
  const service: Service = {
    baseUrl,
    ...(Object.fromEntries(Object.entries(resources).map(([name, open]) => [name, open(send)])) as Resources),
    requests,
    serverTime,
    close,
  };
  transports.set(service, transport);
  return service;
}
