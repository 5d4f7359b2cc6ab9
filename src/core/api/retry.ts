import { backoffMs, retry } from "../../base/retry/index.js";
import { ServiceError } from "./errors.js";
import { cancelled, lastBeforeDeadline } from "./failure.js";
import type { ServiceSettings } from "./options.js";
import type { Send, ServiceRequest } from "./request.js";

const longestPauseMs = 10_000;

/**
 * Retries what may be retried, after a growing, random pause, and notes what concerns all requests (see `outage`). Does not
 * retry after 429: the limiter below handles it.
 */
export function retryRequests(next: Send, options: ServiceSettings): Send {
  const { retries, patienceMs, signal, outage, system } = options;
  return async (request) => {
    if (outage?.error) throw notTried(request, outage.error);
    return retry(
      () => next(request),
      async (error, attempts) => {
        if (!(error instanceof ServiceError)) throw error;
        if (error.outcome === "unknown") request.tally.mayBeDone = true;
        const { deadline } = request;
        if (deadline?.aborted) throw lastBeforeDeadline(request, error);
        const pauseMs = pauseAfter(error, attempts, options);
        const isLast = attempts > retries || pauseMs > patienceMs || outage?.error;
        if (isLast || !mayRepeat(request, error)) {
          if (outage && concernsAll(request, error)) outage.error ??= error;
          throw error;
        }
        await system.sleep(pauseMs, firstOf(signal, deadline));
        // A write that may have been done keeps this outcome.
        if (signal?.aborted)
          throw request.method === "GET" || error.outcome === "not-sent" ? cancelled(request) : error;
        if (deadline?.aborted) throw lastBeforeDeadline(request, error);
      },
    );
  };
}

function firstOf(
  signal: AbortSignal | undefined,
  deadline: AbortSignal | undefined,
): AbortSignal | undefined {
  return signal && deadline ? AbortSignal.any([signal, deadline]) : (signal ?? deadline);
}

/** A growing, random pause, no shorter than the service asks for. */
function pauseAfter(error: ServiceError, attempts: number, options: ServiceSettings): number {
  const growingMs = backoffMs(options.backoffMs, attempts, options.system.random, longestPauseMs);
  return Math.max(growingMs, error.retryAfterMs ?? 0);
}

const common = new Set(["tls", "proxy", "unauthorized", "redirected", "not-json", "rate-limited"]);

/** Whether others would fail likewise. A write that was sent may have failed for what is in it, and is looked for. */
function concernsAll({ method, once }: ServiceRequest, error: ServiceError): boolean {
  const isHarmless = method === "GET" || error.outcome === "not-sent";
  return !once && isHarmless && (common.has(error.code) || isPassing(error));
}

/** The error for a request that is not sent, since an earlier one showed that it would fail. */
function notTried({ method, path }: ServiceRequest, { code, status }: ServiceError): ServiceError {
  const message = `${method} ${path}: not sent, for the reason that another error gives.`;
  return new ServiceError(message, { code, method, path, outcome: "not-sent", status });
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
