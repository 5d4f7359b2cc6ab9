import type { ProxyOptions } from "../../base/http/index.js";
import type { System } from "../../base/system/index.js";
import type { ServiceError, ServiceErrorCode } from "./errors.js";
import type { Exchange } from "./request.js";

/** Terraform's default parallelism. */
const defaultConcurrency = 10;

/** Time limit of a single request, from connecting to the last byte. */
export const defaultTimeoutMs = 30_000;

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
  /** Maximum rate. Default: the service's rate limit. */
  readonly requestsPerSecond?: number | undefined;
  /** Time limit of a single request, from connecting to the last byte. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries of an idempotent request; waits for 429 do not count. Default 5. */
  readonly retries?: number | undefined;
  /**
   * Maximum pause before the first retry; doubles with each further one. Default 250. Four times as long after a 429
   * without Retry-After.
   */
  readonly backoffMs?: number | undefined;
  /**
   * Receives the first error that concerns the whole service, after its last retry; later requests then fail at once.
   * For callers that request many objects even if the first request fails.
   */
  readonly outage?: { error?: ServiceError } | undefined;
  /** How long to wait while every response is 429. Default 120,000. */
  readonly patienceMs?: number | undefined;
  /** Rejects longer responses. Default 64 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Cancels waits and unsent requests immediately; running writes finish. */
  readonly signal?: AbortSignal | undefined;
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  readonly proxy?: ProxyOptions | undefined;
  /** Version of this tool, for the User-Agent header. */
  readonly version?: string | undefined;
  readonly system: System;
  /** Replaces HTTP in a simulator. */
  readonly exchange?: Exchange | undefined;
  /** Whether the process does nothing else and may be tuned to exit early. Default false. */
  readonly ownsProcess?: boolean | undefined;
  /** How long V8 optimises no code, if `ownsProcess`. Default 0. */
  readonly optimizeAfterMs?: number | undefined;
}

/** The options with their defaults. */
export type ClientSettings = ReturnType<typeof withDefaults>;

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

/** One attempt on the wire; never contains the key or a body. */
export interface RequestEvent {
  readonly method: string;
  readonly path: string;
  /** Absent without a response. */
  readonly status?: number;
  readonly durationMs: number;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Why there was no complete response. */
  readonly error?: ServiceErrorCode;
}
