/**
 * Learns how fast the service lets us send.
 *
 * The document names no limits (§8). Deployments count requests in fixed windows of a second and answer 429 with
 * Retry-After; their numbers are unknown. So we start unpaced, and the first 429 teaches: what was let through in
 * the window before it is about what the window holds. From then on requests are spaced evenly, slightly under that,
 * because a burst meets the edge of a window and even spacing does not.
 *
 * The count misleads in one way: a second of ours overlaps two of their windows, so it can be up to twice the limit.
 * Two cases follow at the next 429. Fewer were let through than our pace: the count is news, take it. As many as our
 * pace: the pace is a little too high, and all we know is that it is (`ceiling`); step back further and creep up to
 * just under the ceiling. After a long quiet time the ceiling itself is raised, so that a limit that was lifted
 * (or was somebody else's traffic) does not slow us for ever.
 */
export interface Pace {
  /** How long until the next request may go; 0 is now. */
  delayMs(nowMs: number): number;
  sent(nowMs: number): void;
  /** An answer came that was not 429. */
  admitted(nowMs: number): void;
  /** A 429 came for a request sent at `sentMs`: nobody sends for `pauseMs`. */
  throttled(nowMs: number, sentMs: number, pauseMs: number): void;
}

const margin = 0.95;
const stepBack = 0.85;
/** Timers fire late; up to this much is made up for, so that lateness does not add up to a slower pace. */
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
      if (sentMs < cutMs) return; // Sent before we knew: the same lesson, already learned.
      cutMs = nowMs;
      const windowMs = Math.min(60_000, Math.max(1000, pauseMs));
      const seen = (admissions.filter((ms) => ms > nowMs - windowMs).length * 1000) / windowMs;
      if (seen === 0) {
        // Somebody else used it up. The pause is the answer to that; unpaced, the next count will be the first news.
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
