/**
 * All requests of a client pass this limiter. It adapts two values: the number of concurrent requests (halved on
 * errors, increased by one per round of successes) and the rate (`pace.ts`). It handles 429 completely: the request
 * goes back to the front of its queue, and its endpoint gets no request until the time the service asked for.
 *
 * Deployments limit per key and endpoint, so each endpoint has a lane with its own queue and pace: limits learnt for
 * creates do not slow down reads.
 */
import { ServiceError } from "./errors.js";
import { cancelled } from "./failure.js";
import type { ServiceSettings } from "./options.js";
import { openPace, type Pace } from "./pace.js";
import type { Send, ServiceRequest } from "./request.js";

/** Assumed window of a 429 without a time to wait. */
const windowMs = 1000;

interface Waiting {
  readonly request: ServiceRequest;
  readonly go: () => void;
  readonly fail: (error: ServiceError) => void;
}

interface Lane {
  readonly pace: Pace;
  readonly queue: Waiting[];
  /** The start of an unbroken series of 429s. */
  throttledMs: number | undefined;
}

export function limitRequests(next: Send, options: ServiceSettings): Send {
  const { signal, concurrency, requestsPerSecond, patienceMs, random } = options;
  const lanes = new Map<string, Lane>();
  const overall = openPace(requestsPerSecond);
  let width = concurrency;
  let narrowedMs = Number.NEGATIVE_INFINITY;
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;

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
    const lane = findLane(request.endpoint);
    for (let again = false; ; again = true) {
      await turn(lane, request, again);
      const sentMs = performance.now();
      try {
        if (request.signal?.aborted) throw cancelled(request);
        const data = await next(request);
        settled(lane);
        return data;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error.code === "rate-limited") {
          throttled(lane, sentMs, error);
          if (request.once) throw error;
        } else {
          if (error.status !== undefined) settled(lane, false);
          if (error.code === "timeout" || error.code === "unavailable") narrow(sentMs);
          throw error;
        }
      } finally {
        inFlight--;
        advance();
      }
    }
  }

  function findLane(endpoint: string): Lane {
    const known = lanes.get(endpoint);
    if (known) return known;
    const lane: Lane = { pace: openPace(), queue: [], throttledMs: undefined };
    lanes.set(endpoint, lane);
    return lane;
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
    clearTimeout(timer);
    const nowMs = performance.now();
    while (inFlight < Math.floor(width)) {
      const waiting = [...lanes].filter(([, { queue }]) => queue.length > 0);
      const delays = waiting.map(([, { pace }]) => Math.max(overall.delayMs(nowMs), pace.delayMs(nowMs)));
      const delayMs = Math.min(...delays);
      if (delayMs > 0) {
        if (Number.isFinite(delayMs)) timer = setTimeout(advance, Math.ceil(delayMs));
        return;
      }
      const chosen = waiting[delays.indexOf(delayMs)];
      if (chosen) start(...chosen, nowMs);
    }
  }

  function start(endpoint: string, lane: Lane, nowMs: number): void {
    inFlight++;
    overall.sent(nowMs);
    lane.pace.sent(nowMs);
    // Moves the lane to the end, so that every endpoint gets its share.
    lanes.delete(endpoint);
    lanes.set(endpoint, lane);
    lane.queue.shift()?.go();
  }

  function settled(lane: Lane, well = true): void {
    lane.throttledMs = undefined;
    lane.pace.admitted(performance.now());
    if (well) width = Math.min(concurrency, width + 1 / width);
  }

  function narrow(sentMs: number): void {
    if (sentMs < narrowedMs) return;
    narrowedMs = performance.now();
    width = Math.max(1, width / 2);
  }

  function throttled(lane: Lane, sentMs: number, error: ServiceError): void {
    const nowMs = performance.now();
    lane.throttledMs ??= nowMs;
    narrow(sentMs);
    const askedMs = error.retryAfterMs ?? windowMs;
    if (nowMs - lane.throttledMs + askedMs > patienceMs) {
      abandon(lane, ({ request }) => gaveUp(request, error));
      throw error;
    }
    // A little later than asked, by a random time, so that clients do not all return at the same moment.
    lane.pace.throttled(nowMs, sentMs, askedMs + 20 * random());
  }

  function abandon(lane: Lane, why: (waiting: Waiting) => ServiceError): void {
    for (const waiting of lane.queue.splice(0)) waiting.fail(why(waiting));
  }
}

/** The error for a request that was never sent because its endpoint kept answering 429. */
function gaveUp({ method, path }: ServiceRequest, error: ServiceError): ServiceError {
  const { status, retryAfterMs } = error;
  return new ServiceError(
    `${method} ${path}: not sent, because the service has been limiting requests for too long. Try again later.`,
    { code: "rate-limited", method, path, outcome: "not-sent", status, retryAfterMs },
  );
}
