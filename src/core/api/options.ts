import type { ProxyOptions } from "../../base/http/index.js";
import type { System } from "../../base/system/index.js";
import type { ServiceError, ServiceErrorCode } from "./errors.js";
import type { Exchange } from "./request.js";

/** Default number of concurrent requests. Equals Terraform's default parallelism. */
const defaultConcurrency = 10;

/** Time limit for a single request, from connecting to the last byte. */
export const defaultTimeoutMs = 30_000;

export interface ServiceOptions {
  /** Base URL, checked with `checkBaseUrl`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Envelope codes that mean success. Default: 100 (§2.1, §7.1) and 1000 (deployments). */
  readonly successCodes?: readonly number[] | undefined;
  /** Whether to ignore the counts that lists report (§2.2). Default: false. */
  readonly ignoreListCounts?: boolean | undefined;
  /** Maximum number of concurrent requests (default 10). */
  readonly concurrency?: number | undefined;
  /** Maximum requests per second (default: no limit until the service responds with 429). */
  readonly requestsPerSecond?: number | undefined;
  /** Time limit for a single request, from connecting to the last byte, in ms (default 30,000). */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries of an idempotent request (default 5). Waits after a 429 do not count. */
  readonly retries?: number | undefined;
  /**
   * Maximum pause before the first retry, in ms (default 250). The pause doubles with each retry, and is four times as
   * long after a 429 without Retry-After.
   */
  readonly backoffMs?: number | undefined;
  /**
   * Records the first error that would affect every request, once its retries are used up. Later requests then fail
   * immediately.
   */
  readonly outage?: { error?: ServiceError } | undefined;
  /** Maximum wait while every response is a 429, in ms (default 120,000). */
  readonly patienceMs?: number | undefined;
  /** Maximum size of a response (default 64 MiB). */
  readonly maxResponseBytes?: number | undefined;
  /** Signal that cancels waits and unsent requests immediately. Writes in flight finish. */
  readonly signal?: AbortSignal | undefined;
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  readonly proxy?: ProxyOptions | undefined;
  /** Version of this tool, for the User-Agent header. */
  readonly version?: string | undefined;
  readonly system: System;
  /** Replaces HTTP in a simulator. */
  readonly exchange?: Exchange | undefined;
  /** Whether the client has the process to itself and may tune V8 for a fast exit. Default: false. */
  readonly ownsProcess?: boolean | undefined;
  /** Time to keep V8's optimization disabled, in ms (default 0). Applies only with `ownsProcess`. */
  readonly optimizeAfterMs?: number | undefined;
}

/** Options with defaults applied. */
export type ClientSettings = ReturnType<typeof applyDefaults>;

export function applyDefaults({
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

/** One attempt to send a request. Never contains the key or a body. */
export interface RequestEvent {
  readonly method: string;
  readonly path: string;
  /** Status code. Omitted without a response. */
  readonly status?: number;
  readonly durationMs: number;
  /** Attempt number, starting at 1. */
  readonly attempt: number;
  /** Set if no complete response arrived. */
  readonly error?: ServiceErrorCode;
}
