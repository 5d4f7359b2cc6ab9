/**
 * Learns the request rate that the service accepts.
 *
 * The document names no limits (§8). Deployments count requests in fixed windows of a second and respond with 429 with
 * Retry-After; their limits are unknown. So we start without pacing and learn from the first 429: the number of
 * requests accepted in the window before it is about the limit. From then on requests are spaced evenly, slightly below
 * it, because bursts collide with the edge of a window and even spacing does not.
 *
 * The count can be wrong in one way: a second of ours overlaps two of their windows, so it can be up to twice the
 * limit. At the next 429 there are two cases. If fewer requests were accepted than our pace allows, we take the new
 * count. If as many were accepted, the pace is a little too high, and we know nothing more (`ceiling`); we slow down
 * further and approach the ceiling slowly. After a long time without 429 we raise the ceiling itself, so that a limit
 * that was lifted (or was caused by other clients) does not slow us down for ever.
 */
export interface Pace {
  /** Time until the next request may go; 0 is now. */
  delayMs(nowMs: number): number;
  sent(nowMs: number): void;
  /** A response came that was not 429. */
  admitted(nowMs: number): void;
  /** A 429 came for a request sent at `sentMs`: nothing is sent for `pauseMs`. */
  throttled(nowMs: number, sentMs: number, pauseMs: number): void;
}

const margin = 0.95;
const stepBack = 0.85;
/** Timers fire late; up to this much is caught up, so that delays do not add up to a slower pace. */
const lagMs = 20;
const creepAfterMs = 3_000;
const probeAfterMs = 20_000;

export function openPace(maxPerSecond = Number.POSITIVE_INFINITY): Pace {
  let perSecond = maxPerSecond;
  let ceiling = maxPerSecond;
  let nextMs = Number.NEGATIVE_INFINITY;
  let resumeMs = Number.NEGATIVE_INFINITY;
  let cutMs = Number.NEGATIVE_INFINITY;
  let grownMs = Number.NEGATIVE_INFINITY;
  let admissions: number[] = [];

  function grow(nowMs: number): void {
    const quietMs = nowMs - cutMs;
    if (quietMs < creepAfterMs || nowMs - grownMs < 1000) return;
    grownMs = nowMs;
    if (quietMs > probeAfterMs) ceiling *= 1.05;
    const target = Math.min(maxPerSecond, ceiling * margin);
    if (perSecond < target) perSecond += (target - perSecond) * 0.3;
  }

  return {
    delayMs: (nowMs) => Math.max(0, nextMs - nowMs, resumeMs - nowMs),
    sent(nowMs) {
      nextMs = Math.max(nextMs, nowMs - lagMs) + 1000 / perSecond;
    },
    admitted(nowMs) {
      admissions.push(nowMs);
      if (admissions.length > 10_000) admissions = admissions.slice(-5_000);
      grow(nowMs);
    },
    throttled(nowMs, sentMs, pauseMs) {
      resumeMs = Math.max(resumeMs, nowMs + pauseMs);
      if (sentMs < cutMs) return; // Sent before the last 429: nothing new to learn.
      cutMs = nowMs;
      const windowMs = Math.min(60_000, Math.max(1000, pauseMs));
      const seen = (admissions.filter((ms) => ms > nowMs - windowMs).length * 1000) / windowMs;
      if (seen === 0) {
        // Another client used up the limit. Pausing is enough; without a pace, the next count will be the
        // first estimate.
        if (Number.isFinite(perSecond)) perSecond = Math.max(1000 / windowMs, perSecond / 2);
      } else if (seen < perSecond * 0.9) {
        ceiling = seen;
        perSecond = seen * margin;
      } else {
        ceiling = perSecond;
        perSecond *= stepBack;
      }
    },
  };
}
