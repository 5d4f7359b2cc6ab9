import { calculateBackoffMs, retry } from "../../base/retry/index.js";
import { StateError } from "./state-error.js";
import type { StoreEnvironment } from "./store-backend.js";

/** Settings for retrying a store that does not respond. */
export interface StoreRetryOptions
  extends Pick<StoreEnvironment, "system" | "patienceMs" | "signal" | "onOutage"> {
  /** Number of retries and the pauses between them. Replaces the deadline. */
  readonly retries?: RetrySettings | undefined;
}

/** Each request is retried at most `max` times, with pauses that double from `minMs` up to `maxMs`. */
export interface RetrySettings {
  readonly max: number;
  readonly minMs: number;
  readonly maxMs: number;
}

/** Maximum retry time after the run was cancelled. */
const maxStopMs = 5_000;

/** Time limit for a request, excluding its transfer time. */
const maxRequestMs = 30_000;
/** Minimum transfer speed. */
const minBytesPerMs = 50;
/** Size to assume for a transfer of unknown size, in bytes. */
export const assumedTransferBytes = 4_500_000;
/**
 * Time after the deadline during which requests may still start, so that an outcome can be recorded or a lock released.
 * Also the time limit of these requests, and the pause between them.
 */
const maxLateMs = 2_000;

/** Health of a store, shared by all requests of a run. Times come from the monotonic clock. */
interface Health {
  hasResponded: boolean;
  /** Start of the outage. */
  failingSinceMs?: number | undefined;
  /** Last failure during the outage. */
  last?: { readonly error: unknown; readonly atMs: number } | undefined;
}

const health = new WeakMap<StoreRetryOptions, Health>();

function getHealth(options: StoreRetryOptions): Health {
  const known = health.get(options) ?? { hasResponded: false };
  health.set(options, known);
  return known;
}

/**
 * Throws if the run has given up on the store. Does not throw if the last failure was long ago, because the store may
 * have recovered.
 */
function assertNotGivenUp(store: Health, patienceMs: number, nowMs: number): void {
  const { failingSinceMs, last } = store;
  if (failingSinceMs === undefined || !last) return;
  const quietMs = nowMs - last.atMs;
  if (quietMs > patienceMs) Object.assign(store, { failingSinceMs: undefined, last: undefined });
  else if (quietMs < maxLateMs && nowMs - failingSinceMs > patienceMs + maxLateMs) throw last.error;
}

/** Records a failed request. Returns the start of the outage. The shared deadline is measured from there. */
export function recordFailure(options: StoreRetryOptions, beganMs: number, error: unknown): number {
  const store = getHealth(options);
  store.failingSinceMs ??= beganMs;
  if (store.last?.error !== error) store.last = { error, atMs: options.system.monotonic() };
  return store.failingSinceMs;
}

/**
 * Returns the time limit for a request, in whole ms. During an outage, returns the time left until the shared deadline.
 */
export function getRequestLimitMs(options: StoreRetryOptions, bytes = 0): number {
  const { patienceMs = maxRequestMs, retries, system } = options;
  const { failingSinceMs } = getHealth(options);
  if (failingSinceMs === undefined || retries) return maxRequestMs + Math.ceil(bytes / minBytesPerMs);
  return Math.max(maxLateMs, Math.ceil(failingSinceMs + patienceMs - system.monotonic()));
}

/**
 * Retries idempotent work with growing pauses. Without `retries`, all requests of a run share one deadline. Before the
 * first response, the URL may be wrong, so an unknown host name fails immediately and a refused connection fails early.
 */
export async function withRetries<Result>(
  options: StoreRetryOptions,
  work: () => Promise<Result>,
  isTransient: (error: unknown) => boolean = isUnreachable,
): Promise<Result> {
  const { retries, signal, onOutage, system } = options;
  const patienceMs = retries ? sumPauses(retries) : (options.patienceMs ?? 30_000);
  const store = getHealth(options);
  let beganMs = system.monotonic();
  let firstFailureMs: number | undefined;
  return retry(
    async () => {
      beganMs = system.monotonic();
      if (!retries || firstFailureMs === undefined) assertNotGivenUp(store, patienceMs, beganMs);
      const result = await work();
      Object.assign(store, { hasResponded: true, failingSinceMs: undefined, last: undefined });
      return result;
    },
    async (error, attempts) => {
      if (!isTransient(error)) throw error;
      const pauseMs = retries
        ? getPauseMs(retries, attempts)
        : calculateBackoffMs(patienceMs / 300, attempts, system.random, patienceMs / 6);
      firstFailureMs ??= beganMs;
      const sinceMs = Math.min(firstFailureMs, recordFailure(options, beganMs, error));
      const first = store.hasResponded ? "" : getErrorText(error);
      if (/ENOTFOUND|Could not resolve host(?!.*temporary)/i.test(first)) throw error;
      const isRefused = /ECONNREFUSED|Connection refused|Failed to connect/i.test(first);
      const limitMs = isRefused && !retries ? patienceMs / 6 : patienceMs;
      const endMs = signal?.aborted ? Math.min(maxStopMs, limitMs) : limitMs;
      const isLate = system.monotonic() - sinceMs + pauseMs > endMs;
      if (retries ? attempts > retries.max || (signal?.aborted && isLate) : isLate) throw error;
      if (attempts === (isRefused ? 1 : 3)) onOutage?.(limitMs);
      await system.sleep(pauseMs, signal?.aborted ? undefined : signal);
    },
  );
}

function getPauseMs({ minMs, maxMs }: RetrySettings, attempts: number): number {
  return calculateBackoffMs(minMs, attempts, () => 1, maxMs);
}

function sumPauses(retries: RetrySettings): number {
  return Array.from({ length: retries.max }, (_, at) => getPauseMs(retries, at + 1)).reduce(
    (a, b) => a + b,
    0,
  );
}

/** Returns the error text from the system, git or a library. */
function getErrorText(error: unknown): string {
  const cause: unknown = error instanceof StateError ? error.cause : error;
  if (!(cause instanceof Error)) return "";
  const { system, code, stderr, message } = cause as Error & Readonly<Record<string, unknown>>;
  return [system, code, stderr ?? message].join(" ");
}

/** Returns whether the store did not respond. The outcome of the request is then unknown. */
export function isUnreachable(error: unknown): error is StateError {
  return error instanceof StateError && error.code === "unreachable";
}
