import type { ProxyOptions } from "../../base/http/index.js";
import type { System } from "../../base/system/index.js";
import type { ServiceError, ServiceErrorCode } from "./errors.js";
import type { Exchange } from "./request.js";

/** As many requests at once as Terraform asks for by default. */
const defaultConcurrency = 10;

/** For a single request, from connecting to the last byte, in ms. */
export const defaultTimeoutMs = 30_000;

/** How to reach the service, and how to behave. */
export interface ServiceOptions {
  /** Checked with `checkBaseUrl`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Envelope codes that mean success. Default 100 (§2.1, §7.1) and 1000 (deployments). */
  readonly successCodes?: readonly number[] | undefined;
  /** Ignore the `count` of lists (§2.2). Default false. */
  readonly ignoreListCounts?: boolean | undefined;
  /** Maximum number of concurrent requests. Default 10. */
  readonly concurrency?: number | undefined;
  /** Maximum rate. Default: what the service allows. */
  readonly requestsPerSecond?: number | undefined;
  /** For a single request, from connecting to the last byte. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries of a repeatable request; waits for 429 do not count. Default 5. */
  readonly retries?: number | undefined;
  /**
   * Maximum of the first pause before a retry; the maximum doubles with each further one. Default 250. After a 429 without
   * Retry-After, the first pause is four times as long.
   */
  readonly backoffMs?: number | undefined;
  /**
   * With it, the first error that is no matter of one request is kept in it, after the last retry, and every later
   * request fails at once. For callers that ask for many objects, whatever becomes of the first.
   */
  readonly outage?: { error?: ServiceError } | undefined;
  /** How long to accept a service that only answers 429. Default 120,000. */
  readonly patienceMs?: number | undefined;
  /** Longer answers are refused. Default 64 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Ends every wait and every request not yet sent, at once; running writes are finished. */
  readonly signal?: AbortSignal | undefined;
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  readonly proxy?: ProxyOptions | undefined;
  /** Version of this tool, for the User-Agent header. */
  readonly version?: string | undefined;
  readonly system: System;
  /** Sends a request once, in place of HTTP: for a simulator. */
  readonly exchange?: Exchange | undefined;
  /** The process does nothing else, and may be tuned to end early. Default false. */
  readonly ownsProcess?: boolean | undefined;
  /** In a process of our own: how long V8 does not optimise code. Default 0. */
  readonly optimizeAfterMs?: number | undefined;
}

/** The options of a client, complete: each of its layers takes some of them. */
export type ServiceSettings = ReturnType<typeof withDefaults>;

export function withDefaults({
  successCodes = [100, 1000],
  concurrency = defaultConcurrency,
  timeoutMs = defaultTimeoutMs,
  retries = 5,
  backoffMs = 250,
  patienceMs = 120_000,
  maxResponseBytes = 64 * 1024 * 1024,
  ...options
}: ServiceOptions) {
  const limits = { concurrency, timeoutMs, retries, backoffMs, patienceMs, maxResponseBytes };
  return { ...options, ...limits, successCodes };
}

/** One request on the wire; never contains the key or a body. */
export interface RequestEvent {
  readonly method: string;
  readonly path: string;
  /** Absent if no response came. */
  readonly status?: number;
  readonly durationMs: number;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Why there was no complete response. */
  readonly error?: ServiceErrorCode;
}
