/**
 * One gate for all requests of a client. Two things are adapted: how many are in flight (halved on trouble, grown by
 * one per round of successes) and how fast they go (`pace.ts`). A 429 is dealt with here to the end: the request goes
 * back to the front of its queue, and nothing on its endpoint is sent until the service wants to hear from us again.
 *
 * Deployments limit per key and endpoint, so each endpoint has a lane with its own queue and pace: reading is not
 * slowed down by what creating has learned.
 */
import { ServiceError } from "./errors.js";
import { cancelled } from "./failure.js";
import { openPace, type Pace } from "./pace.js";
import type { Send, ServiceRequest } from "./request.js";

export interface LimiterOptions {
  /** Upper bound of requests in flight. */
  readonly concurrency: number;
  /** Upper bound of the rate, by the user's wish. */
  readonly requestsPerSecond: number | undefined;
  /** How long 429s may go on, with nothing let through, before operations fail. */
  readonly patienceMs: number;
  readonly signal: AbortSignal | undefined;
  readonly random: () => number;
  /** A clock that never jumps. */
  readonly stopwatch: () => number;
}

/** Assumed: the window of a 429 that does not say when to come back. */
const windowMs = 1000;

interface Waiting {
  readonly request: ServiceRequest;
  readonly go: () => void;
  readonly fail: (error: ServiceError) => void;
}

interface Lane {
  readonly pace: Pace;
  readonly queue: Waiting[];
  /** Since when there were only 429s. */
  throttledMs: number | undefined;
}

export function limited(next: Send, options: LimiterOptions): Send {
  const { stopwatch, signal, concurrency } = options;
  const lanes = new Map<string, Lane>();
  const overall = openPace(options.requestsPerSecond);
  let width = concurrency;
  let narrowedMs = Number.NEGATIVE_INFINITY;
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;

  signal?.addEventListener("abort", () => {
    for (const lane of lanes.values()) abandon(lane, ({ request }) => cancelled(request));
  });

  return async (request) => {
    const lane = laneOf(request.endpoint);
    for (let again = false; ; again = true) {
      await turn(lane, request, again);
      const sentMs = stopwatch();
      try {
        const data = await next(request);
        settled(lane);
        return data;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error.code === "rate-limited") throttled(lane, sentMs, error);
        else {
          if (error.status !== undefined) settled(lane, false);
          if (error.code === "timeout" || error.code === "unavailable") narrow(sentMs);
          throw error;
        }
      } finally {
        inFlight--;
        advance();
      }
    }
  };

  function laneOf(endpoint: string): Lane {
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

  /** Lets go whoever may go, and comes back when the next one may. */
  function advance(): void {
    clearTimeout(timer);
    const nowMs = stopwatch();
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
    // To the end of the line, so that every endpoint gets its share.
    lanes.delete(endpoint);
    lanes.set(endpoint, lane);
    lane.queue.shift()?.go();
  }

  function settled(lane: Lane, well = true): void {
    lane.throttledMs = undefined;
    lane.pace.admitted(stopwatch());
    if (well) width = Math.min(concurrency, width + 1 / width);
  }

  function narrow(sentMs: number): void {
    if (sentMs < narrowedMs) return;
    narrowedMs = stopwatch();
    width = Math.max(1, width / 2);
  }

  function throttled(lane: Lane, sentMs: number, error: ServiceError): void {
    const nowMs = stopwatch();
    lane.throttledMs ??= nowMs;
    narrow(sentMs);
    const askedMs = error.retryAfterMs ?? windowMs;
    if (nowMs - lane.throttledMs + askedMs > options.patienceMs) {
      abandon(lane, ({ request }) => gaveUp(request, error));
      throw error;
    }
    // A little later than asked, each client differently, lest all come back in the same moment.
    lane.pace.throttled(nowMs, sentMs, askedMs + 20 * options.random());
  }

  function abandon(lane: Lane, why: (waiting: Waiting) => ServiceError): void {
    for (const waiting of lane.queue.splice(0)) waiting.fail(why(waiting));
  }
}

/** The error for a request that was never sent because others on its endpoint were refused for too long. */
function gaveUp({ method, path }: ServiceRequest, error: ServiceError): ServiceError {
  const { status, retryAfterMs } = error;
  return new ServiceError(
    `${method} ${path}: not sent, as the service has been asking to slow down for too long. Try again later.`,
    { code: "rate-limited", method, path, outcome: "not-sent", status, retryAfterMs },
  );
}
