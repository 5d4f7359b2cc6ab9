import { backoffMs, retry } from "../../base/retry/index.js";
import { StateError } from "./state-error.js";
import type { StoreEnvironment } from "./store-backend.js";

/** How long a store is asked again that does not answer. */
export type StoreRetryOptions = Pick<StoreEnvironment, "system" | "patienceMs" | "signal" | "onOutage">;

/** Once the run was asked to stop. */
const longestStopMs = 5_000;

/** Time limit of a request, in ms, without the time for its bytes. */
const maxRequestMs = 30_000;
/** Minimum speed of a transfer. */
const minBytesPerMs = 50;
/** Allowance for a transfer whose size is not known in advance. */
export const unknownBytes = 4_500_000;
/**
 * How long after the deadline requests may still begin, to record an outcome or to release a lock; how long each may take; and
 * after which pause one may begin later.
 */
const maxLateMs = 2_000;

/** What a run knows about a store; times by the monotonic clock. Shared by all its requests. */
interface Health {
  hasResponded: boolean;
  /** When an outage began. */
  failingSinceMs?: number | undefined;
  /** The last failure of the outage. */
  last?: { readonly error: unknown; readonly atMs: number } | undefined;
}

const health = new WeakMap<StoreRetryOptions, Health>();

function getHealth(options: StoreRetryOptions): Health {
  const known = health.get(options) ?? { hasResponded: false };
  health.set(options, known);
  return known;
}

/** Fails at once if the run has given up the store, unless its last failure is a while ago: it may be back. */
function assertNotGivenUp(store: Health, patienceMs: number, nowMs: number): void {
  const { failingSinceMs, last } = store;
  if (failingSinceMs === undefined || !last) return;
  const quietMs = nowMs - last.atMs;
  if (quietMs > patienceMs) Object.assign(store, { failingSinceMs: undefined, last: undefined });
  else if (quietMs < maxLateMs && nowMs - failingSinceMs > patienceMs + maxLateMs) throw last.error;
}

/** Records that a request got no response. The first one starts the shared deadline, at its beginning. Returns that time. */
export function noteFailure(options: StoreRetryOptions, beganMs: number, error: unknown): number {
  const store = getHealth(options);
  store.failingSinceMs ??= beganMs;
  if (store.last?.error !== error) store.last = { error, atMs: options.system.monotonic() };
  return store.failingSinceMs;
}

/** Returns the time limit of a request, in whole ms: while the store fails, the rest of the shared deadline. */
export function requestLimitMs(options: StoreRetryOptions, bytes = 0): number {
  const { patienceMs = maxRequestMs, system } = options;
  const { failingSinceMs } = getHealth(options);
  if (failingSinceMs === undefined) return maxRequestMs + Math.ceil(bytes / minBytesPerMs);
  return Math.max(maxLateMs, Math.ceil(failingSinceMs + patienceMs - system.monotonic()));
}

/**
 * Does what can be repeated until it succeeds, with growing pauses: an outage of seconds must not end an apply half-way.
 * The last error counts. All requests of a run share one deadline, so a store that is gone costs it once. Before
 * anything has responded the address may be wrong, and nothing is half done: a host that does not exist is reported at
 * once, and one that refuses the connection soon.
 */
export async function withRetries<Result>(
  options: StoreRetryOptions,
  work: () => Promise<Result>,
  isPassing: (error: unknown) => boolean = isUnreachable,
): Promise<Result> {
  const { patienceMs = 30_000, signal, onOutage, system } = options;
  const store = getHealth(options);
  let beganMs = system.monotonic();
  let firstFailureMs: number | undefined;
  return retry(
    async () => {
      beganMs = system.monotonic();
      assertNotGivenUp(store, patienceMs, beganMs);
      const result = await work();
      Object.assign(store, { hasResponded: true, failingSinceMs: undefined, last: undefined });
      return result;
    },
    async (error, attempts) => {
      if (!isPassing(error)) throw error;
      const pauseMs = backoffMs(patienceMs / 300, attempts, system.random, patienceMs / 6);
      firstFailureMs ??= beganMs;
      const sinceMs = Math.min(firstFailureMs, noteFailure(options, beganMs, error));
      const first = store.hasResponded ? "" : saidBy(error);
      if (/ENOTFOUND|Could not resolve host(?!.*temporary)/i.test(first)) throw error;
      const isRefused = /ECONNREFUSED|Connection refused|Failed to connect/i.test(first);
      const limitMs = isRefused ? patienceMs / 6 : patienceMs;
      const endMs = signal?.aborted ? Math.min(longestStopMs, limitMs) : limitMs;
      if (system.monotonic() - sinceMs + pauseMs > endMs) throw error;
      if (attempts === (isRefused ? 1 : 3)) onOutage?.(limitMs);
      await system.sleep(pauseMs, signal?.aborted ? undefined : signal);
    },
  );
}

/** What the system, git or a library says of a failure. */
function saidBy(error: unknown): string {
  const cause: unknown = error instanceof StateError ? error.cause : error;
  if (!(cause instanceof Error)) return "";
  const { system, code, stderr, message } = cause as Error & Readonly<Record<string, unknown>>;
  return [system, code, stderr ?? message].join(" ");
}

/** Whether a store did not answer: then it is not known whether it did what it was asked. */
export function isUnreachable(error: unknown): error is StateError {
  return error instanceof StateError && error.code === "unreachable";
}
