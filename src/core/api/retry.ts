import { backoffMs, retry, sleep } from "../../base/retry/index.js";
import { ServiceError } from "./errors.js";
import { cancelled } from "./failure.js";
import type { ServiceSettings } from "./options.js";
import type { Send, ServiceRequest } from "./request.js";

const longestPauseMs = 10_000;

/** Retries what may be retried, after a growing, random pause. Does not see 429: the limiter below handles it. */
export function retryRequests(next: Send, options: ServiceSettings): Send {
  const { retries, patienceMs, signal, random } = options;
  return (request) =>
    retry(
      () => next(request),
      async (error, attempts) => {
        if (!(error instanceof ServiceError) || attempts > retries || !mayRepeat(request, error)) throw error;
        const growingMs = backoffMs(options.backoffMs, attempts, { longestMs: longestPauseMs, random });
        const pauseMs = Math.max(growingMs, error.retryAfterMs ?? 0);
        if (pauseMs > patienceMs) throw error;
        await sleep(pauseMs, signal);
        // A write that may have been done keeps this outcome.
        if (signal?.aborted)
          throw request.method === "GET" || error.outcome === "not-sent" ? cancelled(request) : error;
      },
    );
}

/**
 * A create is repeated only if it certainly was not processed (rule: at most once). Reads can be repeated after
 * any passing error, and so can PATCH, as we always send the whole object, and DELETE, as ids are never given again.
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
