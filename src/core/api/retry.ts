import { calculateBackoffMs, retry } from "../../base/retry/index.js";
import { ServiceError, type ServiceErrorCode } from "./errors.js";
import { createCancelledError, toDeadlineError } from "./failure.js";
import type { ClientSettings } from "./options.js";
import type { SendRequest, ServiceRequest } from "./request.js";

const maxPauseMs = 10_000;

/**
 * Retries requests after a growing, random pause, and records errors that affect all requests (see `outage`). The
 * limiter handles 429 responses.
 */
export function retryRequests(next: SendRequest, options: ClientSettings): SendRequest {
  const { retries, patienceMs, signal, outage, system } = options;
  return async (request) => {
    if (outage?.error) throw createSkippedError(request, outage.error);
    return retry(
      () => next(request),
      async (error, attempts) => {
        if (!(error instanceof ServiceError)) throw error;
        if (error.outcome === "unknown") request.tally.mayBeDone = true;
        const { deadline } = request;
        if (deadline?.aborted) throw toDeadlineError(request, error);
        const pauseMs = computePauseMs(error, attempts, options);
        const isLast = attempts > retries || pauseMs > patienceMs || outage?.error;
        if (isLast || !canRepeat(request, error)) {
          if (outage && affectsAllRequests(request, error)) outage.error ??= error;
          throw error;
        }
        await system.sleep(pauseMs, combineSignals(signal, deadline));
        // A write with an unknown outcome keeps its error, because the service may have processed it.
        if (signal?.aborted)
          throw request.method === "GET" || error.outcome === "not-sent"
            ? createCancelledError(request)
            : error;
        if (deadline?.aborted) throw toDeadlineError(request, error);
      },
    );
  };
}

function combineSignals(
  signal: AbortSignal | undefined,
  deadline: AbortSignal | undefined,
): AbortSignal | undefined {
  return signal && deadline ? AbortSignal.any([signal, deadline]) : (signal ?? deadline);
}

/** Returns a growing, random pause, no shorter than the service's `Retry-After`. */
function computePauseMs(error: ServiceError, attempts: number, options: ClientSettings): number {
  const growingMs = calculateBackoffMs(options.backoffMs, attempts, options.system.random, maxPauseMs);
  return Math.max(growingMs, error.retryAfterMs ?? 0);
}

const accountWideCodes = new Set(["tls", "proxy", "unauthorized", "redirected", "not-json", "rate-limited"]);

/**
 * Returns whether other requests would fail in the same way. Excludes writes that were sent, because their content may
 * be the cause.
 */
function affectsAllRequests({ method, once }: ServiceRequest, error: ServiceError): boolean {
  const isHarmless = method === "GET" || error.outcome === "not-sent";
  return !once && isHarmless && (accountWideCodes.has(error.code) || isTransient(error));
}

/** Creates the error for a request that is not sent, because an earlier request showed that it would fail. */
function createSkippedError({ method, path }: ServiceRequest, { code, status }: ServiceError): ServiceError {
  const message = `${method} ${path}: not sent, because an earlier request failed.`;
  return new ServiceError(message, { code, method, path, outcome: "not-sent", status });
}

/**
 * Returns whether a request can be retried. A create may be repeated only if it was certainly not processed. PATCH and
 * DELETE are idempotent.
 */
function canRepeat({ method, once }: ServiceRequest, error: ServiceError): boolean {
  return !once && isTransient(error) && (method !== "POST" || error.outcome === "not-sent");
}

const transientCodes = new Set<ServiceErrorCode>(["unreachable", "dns", "timeout", "no-response", "cut"]);

const transientStatuses = new Set([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529]);

/** Returns whether an error may disappear within seconds, such as a lost connection but not a bad certificate. */
function isTransient({ code, status }: ServiceError): boolean {
  return transientCodes.has(code) || (status !== undefined && transientStatuses.has(status));
}
