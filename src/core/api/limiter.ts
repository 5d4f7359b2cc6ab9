/**
 * All requests of a client pass this limiter: so many at once, and so many a second if the user says so. It handles 429
 * completely: the request goes back to the front of its queue, and its endpoint gets no request until the pause is over.
 *
 * Deployments limit per key and endpoint, so each endpoint has a lane: a 429 for creates does not hold up reads.
 */
import { startTimer } from "../../base/system/index.js";
import { ServiceError } from "./errors.js";
import { cancelled, failure, withheld } from "./failure.js";
import type { ServiceSettings } from "./options.js";
import type { Send, ServiceRequest } from "./request.js";
import { pauseAfter } from "./retry.js";

/** Timers fire late; up to this much is caught up, so that delays do not add up to a slower pace. */
const lagMs = 20;

interface Waiting {
  readonly request: ServiceRequest;
  readonly go: () => void;
  readonly fail: (error: ServiceError) => void;
}

interface Lane {
  readonly queue: Waiting[];
  /** The end of a pause, or else the last start: the lane that waited longest goes first. */
  nextMs: number;
  /** The start of an unbroken series of 429s. */
  throttledMs: number | undefined;
}

export function limitRequests(next: Send, options: ServiceSettings): Send {
  const { signal, concurrency, requestsPerSecond = Number.POSITIVE_INFINITY, patienceMs, system } = options;
  const lanes = new Map<string, Lane>();
  /** When the rate allows the next request. */
  let nextMs = 0;
  let inFlight = 0;
  let stopTimer = () => {};

  /** Requests that were begun and have not ended. */
  let open = 0;
  const cancel = () => {
    for (const lane of lanes.values()) abandon(lane, ({ request }) => cancelled(request));
  };

  return async (request) => {
    // No longer than there is something to cancel: the signal may be that of a process, which makes many clients.
    if (open++ === 0) signal?.addEventListener("abort", cancel);
    try {
      return await admit(request);
    } finally {
      if (--open === 0) signal?.removeEventListener("abort", cancel);
    }
  };

  async function admit(request: ServiceRequest): ReturnType<Send> {
    const lane = lanes.get(request.endpoint) ?? { queue: [], nextMs: 0, throttledMs: undefined };
    lanes.set(request.endpoint, lane);
    for (let attempts = 1; ; attempts++) {
      await turn(lane, request, attempts > 1);
      try {
        if (request.signal?.aborted) throw cancelled(request);
        await request.beforeSend?.().catch((error: Error) => {
          throw withheld(request, error);
        });
        const data = await next(request);
        lane.throttledMs = undefined;
        return data;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error.code === "rate-limited") throttled(lane, error, attempts);
        else if (error.status !== undefined) lane.throttledMs = undefined;
        if (error.code !== "rate-limited" || request.once) throw error;
      } finally {
        inFlight--;
        advance();
      }
    }
  }

  function turn(lane: Lane, request: ServiceRequest, again: boolean): Promise<void> {
    if (signal?.aborted) return Promise.reject(cancelled(request));
    return new Promise((go, fail) => {
      lane.queue[again ? "unshift" : "push"]({ request, go, fail });
      advance();
    });
  }

  /** Starts every request that may go, and schedules the next check. */
  function advance(): void {
    stopTimer();
    while (inFlight < concurrency) {
      const waiting = [...lanes.values()].filter(({ queue }) => queue.length > 0);
      const lane = waiting.sort((some, other) => some.nextMs - other.nextMs)[0];
      if (!lane) return;
      const nowMs = system.monotonic();
      const delayMs = Math.max(nextMs, lane.nextMs) - nowMs;
      if (delayMs > 0) {
        stopTimer = startTimer(system, Math.ceil(delayMs), advance);
        return;
      }
      inFlight++;
      lane.nextMs = nowMs;
      nextMs = Math.max(nextMs, nowMs - lagMs) + 1000 / requestsPerSecond;
      lane.queue.shift()?.go();
    }
  }

  function throttled(lane: Lane, error: ServiceError, attempts: number): void {
    const nowMs = system.monotonic();
    lane.throttledMs ??= nowMs;
    const pauseMs = pauseAfter(error, attempts, options);
    if (nowMs - lane.throttledMs + pauseMs > patienceMs) {
      abandon(lane, ({ request }) => gaveUp(request, error));
      throw error;
    }
    lane.nextMs = Math.max(lane.nextMs, nowMs + pauseMs);
  }

  function abandon(lane: Lane, why: (waiting: Waiting) => ServiceError): void {
    for (const waiting of lane.queue.splice(0)) waiting.fail(why(waiting));
  }
}

/** The error for a request that was never sent because its endpoint kept answering 429. */
function gaveUp(request: ServiceRequest, { status, retryAfterMs }: ServiceError): ServiceError {
  const sentence = "the service has been limiting requests for too long. Try again later.";
  return failure(request, "rate-limited", false, sentence, { status, retryAfterMs });
}
