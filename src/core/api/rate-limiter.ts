/**
 * Limits a client's concurrent requests, and their rate if the user sets one. After a 429, the request returns to the
 * front of its queue. Its endpoint pauses, then sends in growing rounds (see "Design notes" in ARCHITECTURE.md).
 */
import { ServiceError } from "./errors.js";
import {
  createCancelledError,
  createExpiredError,
  createRequestError,
  createWithheldError,
} from "./failure.js";
import type { ClientSettings } from "./options.js";
import type { SendRequest, ServiceRequest } from "./request.js";

/** Maximum timer delay to compensate for. Without compensation, late timers would lower the request rate. */
const maxLagMs = 20;

/** Maximum time between rounds, even after a longer pause, because most limits are per second. */
const maxRoundMs = 1_100;

/** Maximum pause without `Retry-After`. */
const maxPauseMs = 10_000;

interface QueuedRequest {
  readonly request: ServiceRequest;
  readonly go: (round: Round) => void;
  readonly fail: (error: ServiceError) => void;
}

/** Rounds between two pauses. */
interface Phase {
  /** Highest number of requests accepted (not answered with 429) in one round. */
  admitted: number;
  /** Whether the phase ended with a 429. */
  isOver: boolean;
}

interface Round {
  readonly phase: Phase;
  /** Maximum number of requests in the round. */
  readonly size: number;
  readonly startMs: number;
  started: number;
  admitted: number;
}

interface Lane {
  readonly queue: QueuedRequest[];
  /**
   * Earliest time of the next request: the end of the pause, the start of the next round, or the time of the last
   * request. The earliest lane goes first.
   */
  nextMs: number;
  round: Round;
  /** Time between two round starts. */
  roundMs: number;
  /** Number of phases that ended with a 429 since the last response with another status. */
  failures: number;
  /** When the current series of 429s began. */
  throttledMs: number | undefined;
}

export function limitRequests(next: SendRequest, options: ClientSettings): SendRequest {
  const { signal, concurrency, requestsPerSecond = Number.POSITIVE_INFINITY, patienceMs, system } = options;
  const lanes = new Map<string, Lane>();
  /** Earliest time for the next request under `requestsPerSecond`. */
  let nextMs = 0;
  let inFlight = 0;
  let stopTimer = () => {};

  /** Number of unfinished requests, including queued ones. */
  let open = 0;
  const cancel = () => {
    for (const lane of lanes.values()) abandon(lane, ({ request }) => createCancelledError(request));
  };

  return async (request) => {
    // Listens only while requests are open, because many clients may share one signal.
    if (open++ === 0) signal?.addEventListener("abort", cancel);
    const onDeadline = () => abandonQueued(request);
    request.deadline?.addEventListener("abort", onDeadline);
    try {
      return await sendWithinLimits(request);
    } finally {
      request.deadline?.removeEventListener("abort", onDeadline);
      if (--open === 0) signal?.removeEventListener("abort", cancel);
    }
  };

  async function sendWithinLimits(request: ServiceRequest): ReturnType<SendRequest> {
    const lane = lanes.get(request.endpoint) ?? openLane();
    lanes.set(request.endpoint, lane);
    for (let isRetry = false; ; isRetry = true) {
      const round = await waitForTurn(lane, request, isRetry);
      try {
        if (request.signal?.aborted) throw createCancelledError(request);
        if (request.deadline?.aborted) throw createExpiredError(request);
        await request.beforeSend?.().catch(() => {
          throw createWithheldError(request);
        });
        const data = await next(request);
        recordAdmission(lane, round);
        return data;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error.code === "rate-limited") pauseAfterThrottling(lane, round, error);
        else if (error.status !== undefined) recordAdmission(lane, round);
        if (error.code !== "rate-limited" || request.once) throw error;
      } finally {
        inFlight--;
        advance();
      }
    }
  }

  function waitForTurn(lane: Lane, request: ServiceRequest, isRetry: boolean): Promise<Round> {
    if (signal?.aborted) return Promise.reject(createCancelledError(request));
    if (request.deadline?.aborted)
      return Promise.reject(createExpiredError(request, lane.throttledMs !== undefined));
    return new Promise((go, fail) => {
      lane.queue[isRetry ? "unshift" : "push"]({ request, go, fail });
      advance();
    });
  }

  /** Starts all requests within the limits, and schedules the next check. */
  function advance(): void {
    stopTimer();
    while (inFlight < concurrency) {
      const waiting = [...lanes.values()].filter(({ queue }) => queue.length > 0);
      const lane = waiting.sort((some, other) => some.nextMs - other.nextMs)[0];
      if (!lane) return;
      const nowMs = system.monotonic();
      const delayMs = Math.max(nextMs, lane.nextMs) - nowMs;
      if (delayMs > 0) {
        stopTimer = system.startTimer(Math.ceil(delayMs), advance);
        return;
      }
      inFlight++;
      nextMs = Math.max(nextMs, nowMs - maxLagMs) + 1000 / requestsPerSecond;
      lane.queue.shift()?.go(joinRound(lane, nowMs));
    }
  }

  function recordAdmission(lane: Lane, round: Round): void {
    round.admitted++;
    round.phase.admitted = Math.max(round.phase.admitted, round.admitted);
    lane.failures = 0;
    lane.throttledMs = undefined;
  }

  function pauseAfterThrottling(lane: Lane, round: Round, error: ServiceError): void {
    const nowMs = system.monotonic();
    lane.throttledMs ??= nowMs;
    if (!round.phase.isOver) lane.failures++;
    round.phase.isOver = true;
    // Treats `Retry-After: 0` like a missing header. By default, the first pause is then one second.
    const askedMs =
      error.retryAfterMs || Math.min(maxPauseMs, 4 * options.backoffMs * 2 ** (lane.failures - 1));
    const pauseMs = askedMs * (1 + system.random() / 10);
    const waitedMs = nowMs - lane.throttledMs;
    if (askedMs <= patienceMs) {
      lane.nextMs = Math.max(lane.nextMs, nowMs + pauseMs);
      lane.roundMs = Math.min(maxRoundMs, lane.nextMs - nowMs);
    }
    if (waitedMs + askedMs > patienceMs) {
      // Gives this lane's next request the full waiting time again.
      lane.throttledMs = undefined;
      abandon(lane, ({ request }) => createGaveUpError(request, error));
      throw error;
    }
  }

  function abandonQueued(request: ServiceRequest): void {
    const lane = lanes.get(request.endpoint);
    const at = lane?.queue.findIndex((waiting) => waiting.request === request) ?? -1;
    if (!lane || at < 0) return;
    const [waiting] = lane.queue.splice(at, 1);
    waiting?.fail(createExpiredError(request, lane.throttledMs !== undefined));
  }

  function abandon(lane: Lane, why: (waiting: QueuedRequest) => ServiceError): void {
    for (const waiting of lane.queue.splice(0)) waiting.fail(why(waiting));
  }
}

function openLane(): Lane {
  const round = openRound(Number.POSITIVE_INFINITY, 0);
  return { queue: [], nextMs: 0, round, roundMs: 0, failures: 0, throttledMs: undefined };
}

function openRound(size: number, startMs: number, phase: Phase = { admitted: 0, isOver: false }): Round {
  return { phase, size, startMs, started: 0, admitted: 0 };
}

/**
 * Adds a starting request to the lane's round. Opens a new round if the current round is full or was ended by a 429.
 */
function joinRound(lane: Lane, nowMs: number): Round {
  const { phase, size, started } = lane.round;
  if (phase.isOver) {
    lane.round = openRound(Math.max(1, phase.admitted), nowMs);
  } else if (started === size) {
    lane.round = openRound(size + 1, nowMs, phase);
  }
  const { round } = lane;
  round.started++;
  lane.nextMs = round.started === round.size ? Math.max(nowMs, round.startMs + lane.roundMs) : nowMs;
  return round;
}

/** Creates the error for a request that was never sent, because its endpoint kept responding with 429. */
function createGaveUpError(request: ServiceRequest, { status, retryAfterMs }: ServiceError): ServiceError {
  const sentence = "the service has been limiting requests for too long. Run the command again later.";
  return createRequestError(request, "rate-limited", false, sentence, { status, retryAfterMs });
}
