import { backoffMs, retry } from "../../base/retry/index.js";
import { StateError } from "./state-error.js";
import type { StoreEnvironment } from "./store-backend.js";

/** How long a store is asked again that does not answer. */
export type StoreRetryOptions = Pick<StoreEnvironment, "system" | "patienceMs" | "signal" | "onOutage">;

/** Once the run was asked to stop. */
const longestStopMs = 5_000;

/** Whether a store has ever responded, and since when it has not, by the monotonic clock. Shared by all requests of a run. */
const health = new WeakMap<
  StoreRetryOptions,
  { hasResponded: boolean; failingSinceMs: number | undefined }
>();

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
  const store = health.get(options) ?? { hasResponded: false, failingSinceMs: undefined };
  health.set(options, store);
  let beganMs = system.monotonic();
  let firstFailureMs: number | undefined;
  return retry(
    async () => {
      beganMs = system.monotonic();
      const result = await work();
      Object.assign(store, { hasResponded: true, failingSinceMs: undefined });
      return result;
    },
    async (error, attempts) => {
      if (!isPassing(error)) throw error;
      const pauseMs = backoffMs(patienceMs / 300, attempts, system.random, patienceMs / 6);
      firstFailureMs ??= beganMs;
      store.failingSinceMs ??= beganMs;
      const sinceMs = Math.min(firstFailureMs, store.failingSinceMs);
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
