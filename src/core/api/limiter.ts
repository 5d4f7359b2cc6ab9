/**
 * Limits the requests of a client: how many are in flight, and their rate if the user sets one. Handles 429 completely: the
 * request returns to the front of its queue, and its endpoint gets no request until the pause is over.
 *
 * Deployments limit per key and endpoint, so each endpoint has a lane: a 429 for creates does not hold up reads. A lane
 * sends freely until its first 429, and then in rounds about a second apart. The first round after a pause has as many
 * requests as got through in the largest round before it, and each further round has one more. So a lane follows a limit
 * that it does not know, and about one request in two rounds is refused.
 */
import { ServiceError } from "./errors.js";
import { cancelled, expired, failure, withheld } from "./failure.js";
import type { ServiceSettings } from "./options.js";
import type { Send, ServiceRequest } from "./request.js";

/** Timers fire late; up to this much is caught up, so that delays do not add up to a slower pace. */
const lagMs = 20;

/** Maximum time between rounds, also after a longer pause: most limits count by the second. */
const maxRoundMs = 1_100;

/** Maximum pause without `Retry-After`. */
const maxPauseMs = 10_000;

interface Waiting {
  readonly request: ServiceRequest;
  readonly go: (round: Round) => void;
  readonly fail: (error: ServiceError) => void;
}

/** The rounds between two pauses. */
interface Phase {
  /** The most requests of a round that got a response other than 429. */
  admitted: number;
  /** A 429 ended it. */
  isOver: boolean;
}

interface Round {
  readonly phase: Phase;
  /** How many requests may start. */
  readonly size: number;
  readonly startMs: number;
  started: number;
  admitted: number;
}

interface Lane {
  readonly queue: Waiting[];
  /** The end of a pause or the next round, or else the last start: the lane that waited longest goes first. */
  nextMs: number;
  round: Round;
  /** From the start of one round to the next. */
  roundMs: number;
  /** Phases that a 429 ended since the last other response. */
  failures: number;
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
    const leave = () => expel(request);
    request.deadline?.addEventListener("abort", leave);
    try {
      return await admit(request);
    } finally {
      request.deadline?.removeEventListener("abort", leave);
      if (--open === 0) signal?.removeEventListener("abort", cancel);
    }
  };

  async function admit(request: ServiceRequest): ReturnType<Send> {
    const lane = lanes.get(request.endpoint) ?? openLane();
    lanes.set(request.endpoint, lane);
    for (let again = false; ; again = true) {
      const round = await turn(lane, request, again);
      try {
        if (request.signal?.aborted) throw cancelled(request);
        if (request.deadline?.aborted) throw expired(request);
        await request.beforeSend?.().catch((error: Error) => {
          throw withheld(request, error);
        });
        const data = await next(request);
        recordAdmission(lane, round);
        return data;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error.code === "rate-limited") pauseLane(lane, round, error);
        else if (error.status !== undefined) recordAdmission(lane, round);
        if (error.code !== "rate-limited" || request.once) throw error;
      } finally {
        inFlight--;
        advance();
      }
    }
  }

  function turn(lane: Lane, request: ServiceRequest, again: boolean): Promise<Round> {
    if (signal?.aborted) return Promise.reject(cancelled(request));
    if (request.deadline?.aborted) return Promise.reject(expired(request, lane.throttledMs !== undefined));
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
        stopTimer = system.startTimer(Math.ceil(delayMs), advance);
        return;
      }
      inFlight++;
      nextMs = Math.max(nextMs, nowMs - lagMs) + 1000 / requestsPerSecond;
      lane.queue.shift()?.go(joinRound(lane, nowMs));
    }
  }

  function recordAdmission(lane: Lane, round: Round): void {
    round.admitted++;
    round.phase.admitted = Math.max(round.phase.admitted, round.admitted);
    lane.failures = 0;
    lane.throttledMs = undefined;
  }

  function pauseLane(lane: Lane, round: Round, error: ServiceError): void {
    const nowMs = system.monotonic();
    lane.throttledMs ??= nowMs;
    if (!round.phase.isOver) lane.failures++;
    round.phase.isOver = true;
    // Zero means that the service does not know. By default, our own first pause is a second.
    const askedMs =
      error.retryAfterMs || Math.min(maxPauseMs, 4 * options.backoffMs * 2 ** (lane.failures - 1));
    const pauseMs = askedMs * (1 + system.random() / 10);
    const waitedMs = nowMs - lane.throttledMs;
    if (askedMs <= patienceMs) {
      lane.nextMs = Math.max(lane.nextMs, nowMs + pauseMs);
      lane.roundMs = Math.min(maxRoundMs, lane.nextMs - nowMs);
    }
    if (waitedMs + askedMs > patienceMs) {
      // The next request waits again.
      lane.throttledMs = undefined;
      abandon(lane, ({ request }) => gaveUp(request, error));
      throw error;
    }
  }

  /** Ends the wait of a request in its queue. */
  function expel(request: ServiceRequest): void {
    const lane = lanes.get(request.endpoint);
    const at = lane?.queue.findIndex((waiting) => waiting.request === request) ?? -1;
    if (!lane || at < 0) return;
    const [waiting] = lane.queue.splice(at, 1);
    waiting?.fail(expired(request, lane.throttledMs !== undefined));
  }

  function abandon(lane: Lane, why: (waiting: Waiting) => ServiceError): void {
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

/** Counts a starting request in the lane's round, or in a new one if that is full or ended by a 429. */
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

/** The error for a request that was never sent because its endpoint kept answering 429. */
function gaveUp(request: ServiceRequest, { status, retryAfterMs }: ServiceError): ServiceError {
  const sentence = "the service has been limiting requests for too long. Try again later.";
  return failure(request, "rate-limited", false, sentence, { status, retryAfterMs });
}
