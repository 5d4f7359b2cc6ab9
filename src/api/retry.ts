import { ServiceError } from "./errors.js";
import { cancelled } from "./failure.js";
import type { Send, ServiceRequest } from "./request.js";
import { wait } from "./wait.js";

export interface RetryOptions {
  readonly retries: number;
  /** The maximum of the first pause; the maximum doubles with each further one. */
  readonly backoffMs: number;
  /** If the service asks for a longer wait, the request fails. */
  readonly patienceMs: number;
  readonly signal: AbortSignal | undefined;
  readonly random: () => number;
}

const longestPauseMs = 10_000;

/**
 * Retries what may be retried, after a growing, random pause. Does not see 429: the limiter below handles it.
 */
export function retrying(next: Send, options: RetryOptions): Send {
  return async (request) => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await next(request);
      } catch (error) {
        if (!(error instanceof ServiceError) || attempt >= options.retries || !mayRepeat(request, error))
          throw error;
        const backoffMs = Math.min(longestPauseMs, options.backoffMs * 2 ** attempt) * options.random();
        const pauseMs = Math.max(backoffMs, error.retryAfterMs ?? 0);
        if (pauseMs > options.patienceMs) throw error;
        await wait(pauseMs, options.signal).catch(() => {
          // A write that may have been done keeps this outcome.
          throw request.method === "GET" || error.outcome === "not-sent" ? cancelled(request) : error;
        });
      }
    }
  };
}

/**
 * A create is repeated only if it certainly was not processed (rule: at most once). Reads can be repeated after
 * any passing trouble, and so can PATCH, as we always send the whole object, and DELETE, as ids are never given again.
 */
function mayRepeat({ method, once }: ServiceRequest, error: ServiceError): boolean {
  return !once && isPassing(error) && (method !== "POST" || error.outcome === "not-sent");
}

const passingStatuses = new Set([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529]);

/** Certificates do not recover within seconds; connections do. */
function isPassing({ code, status }: ServiceError): boolean {
  if (code === "unreachable" || code === "dns" || code === "timeout" || code === "cut") return true;
  return status !== undefined && passingStatuses.has(status);
}
