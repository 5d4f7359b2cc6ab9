import { setMaxListeners } from "node:events";
import { checkBaseUrl } from "./address.js";
import { unwrapEnvelopes } from "./envelope.js";
import { openObserver, type RequestCount } from "./observed.js";
import { applyDefaults, type ClientSettings, type ServiceOptions } from "./options.js";
import { dropCounts } from "./pages.js";
import { limitRequests } from "./rate-limiter.js";
import type { SendRequest } from "./request.js";
import * as resources from "./resources.js";
import { retryRequests } from "./retry.js";
import { openWire } from "./wire.js";

/** Methods of each endpoint group. */
type Resources = { readonly [Name in keyof typeof resources]: ReturnType<(typeof resources)[Name]> };

/** Service client, with one property for each endpoint group (§4). */
export interface Service extends Resources {
  /** Normalized base URL. */
  readonly baseUrl: string;
  /** Time limit for a single request, in ms. */
  readonly timeoutMs: number;
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  /** Live counters, shared with all views of this client (see `restrictToReads`). */
  readonly requests: RequestCount;
  /**
   * Returns the service's current time, in ms, from the Date of its last response. Undefined before the first response.
   */
  getServerTime(): number | undefined;
  /** Waits for running requests, then closes the connections. */
  close(): Promise<void>;
}

/** Opens a service client. Sends nothing before the first call. */
export function openService(options: ServiceOptions): Service {
  const address = checkBaseUrl(options.baseUrl);
  if ("problem" in address) throw new Error(`Bug: an unchecked base URL was used. It ${address.problem}`);
  return buildService(address.url, openTransport(applyDefaults({ ...options, baseUrl: address.url })));
}

/** Returns the same client, limited to GET requests, for plans. `rejectWrite` throws for other methods. */
export function restrictToReads(service: Service, rejectWrite = throwWriteBug): Service {
  const transport = transports.get(service);
  if (!transport) throw new Error("Bug: restrictToReads needs a service opened with openService");
  return buildService(service.baseUrl, { ...transport, send: allowOnlyGet(transport.send, rejectWrite) });
}

/**
 * Returns the same client, but calls `check` before each attempt of a write. If `check` rejects, the attempt is not
 * sent.
 */
export function guardWrites(service: Service, check: () => Promise<void>): Service {
  const transport = transports.get(service);
  if (!transport) throw new Error("Bug: guardWrites needs a service opened with openService");
  return buildService(service.baseUrl, {
    ...transport,
    send: (request) => transport.send(request.method === "GET" ? request : { ...request, beforeSend: check }),
  });
}

/**
 * Returns the same client, but ends all requests when `deadline` aborts. A write in progress then has an unknown
 * outcome. The abort reason's message must be a clause, such as "not finished within 5 s".
 */
export function withDeadline(service: Service, deadline: AbortSignal): Service {
  const transport = transports.get(service);
  if (!transport) throw new Error("Bug: withDeadline needs a service opened with openService");
  setMaxListeners(0, deadline);
  return buildService(service.baseUrl, {
    ...transport,
    send: (request) => transport.send({ ...request, deadline }),
  });
}

function allowOnlyGet(next: SendRequest, rejectWrite: typeof throwWriteBug): SendRequest {
  return async (request) => {
    if (request.method === "GET") return next(request);
    return rejectWrite(request);
  };
}

function throwWriteBug({ method, path }: Parameters<SendRequest>[0]): never {
  throw new Error(`Bug: ${method} ${path} through a read-only client`);
}

/** Kept outside the client so that a read-only client cannot be bypassed. */
const transports = new WeakMap<Service, Transport>();

function buildService(baseUrl: string, transport: Transport): Service {
  const { send, ...facts } = transport;
  const service: Service = {
    baseUrl,
    ...(Object.fromEntries(Object.entries(resources).map(([name, open]) => [name, open(send)])) as Resources),
    ...facts,
  };
  transports.set(service, transport);
  return service;
}

interface Transport
  extends Pick<Service, "timeoutMs" | "concurrency" | "requests" | "getServerTime" | "close"> {
  readonly send: SendRequest;
}

/** Combines the steps of a request (retry, limit, unwrap the envelope, count, send). */
function openTransport(settings: ClientSettings): Transport {
  // Every wait and request adds a listener. Without this, Node would warn about a leak.
  if (settings.signal) setMaxListeners(0, settings.signal);
  const wire = openWire(settings);
  const { requests, serverTime: getServerTime, observe } = openObserver(settings);
  const once = unwrapEnvelopes(observe(wire.exchange), settings);
  const send = retryRequests(limitRequests(once, settings), settings);
  return {
    send: settings.ignoreListCounts ? dropCounts(send) : send,
    timeoutMs: settings.timeoutMs,
    concurrency: settings.concurrency,
    requests,
    getServerTime,
    close: wire.close,
  };
}
